import fc from 'fast-check';
import { fieldsOf } from '../../src/domain/adapter.js';
import { registry } from '../http/support.js';

export const TYPES = registry.types();

const targetUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.webPath())
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`)
  .filter((url) => url.length <= 2048 && !/\.(localhost|local|internal|intranet|private|corp|home|lan)\b/i.test(url));

// A screenshot turns the wish for plain HTTP down, and any other into one for a browser.
const plainFields = (targetType: string): string[] =>
  fieldsOf(registry.get(targetType)!).filter((field) => field !== 'screenshot');

/** Any request body that must be accepted. */
export const validTarget = fc.constantFrom(...TYPES).chain((targetType) =>
  fc.record(
    {
      target_type: fc.constant(targetType),
      target_url: targetUrl,
      workspace_id: fc
        .string({ minLength: 1, maxLength: 50, unit: 'grapheme' })
        .filter((text) => /^\P{C}+$/u.test(text)),
      requested_fields: fc.option(fc.subarray(plainFields(targetType), { minLength: 1 })),
      callback_url: fc.option(targetUrl),
      render: fc.constantFrom('auto', 'http', 'browser'),
    },
    { requiredKeys: ['target_type', 'target_url', 'workspace_id'] },
  ),
);

/** One way to spoil a valid target, and the field that must be named for it. */
export const spoiling: fc.Arbitrary<{ field: string; change: Record<string, unknown> }> = fc.oneof(
  fc
    .constantFrom('target_type', 'target_url', 'workspace_id')
    .map((field) => ({ field, change: { [field]: undefined } })),
  fc
    .tuple(
      fc.constantFrom('target_type', 'target_url', 'workspace_id', 'render'),
      fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constant({}), fc.constant(['x']), fc.constant('')),
    )
    .map(([field, value]) => ({ field, change: { [field]: value } })),
  fc
    .string()
    .filter((type) => !TYPES.includes(type))
    .map((value) => ({ field: 'target_type', change: { target_type: value } })),
  fc
    .constantFrom(
      'ftp://example.com/',
      'http://127.0.0.1/',
      'http://user:pass@example.com/',
      'https://example.com/\u0000',
      'not a url',
      `https://example.com/${'a'.repeat(2048)}`,
    )
    .map((value) => ({ field: 'target_url', change: { target_url: value } })),
  fc
    .constantFrom([], 'name', 5, {})
    .map((value) => ({ field: 'requested_fields', change: { requested_fields: value } })),
  fc.constant({ field: 'requested_fields[0]', change: { requested_fields: ['no_such_field'] } }),
  fc.constant({ field: 'requested_fields[0]', change: { requested_fields: [7] } }),
  fc
    .constantFrom(5, '', {}, 'ftp://example.com')
    .map((value) => ({ field: 'callback_url', change: { callback_url: value } })),
  fc.stringMatching(/^[a-z]{1,8}_x$/).map((name) => ({ field: name, change: { [name]: 1 } })),
);
