import fc from 'fast-check';
import { fieldsOf } from '../../src/domain/adapter.js';
import { registry } from '../http/support.js';

export const TYPES = registry.types();

const targetUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.webPath())
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`)
  .filter((url) => url.length <= 2048 && !/\.(localhost|local|internal|intranet|private|corp|home|lan)\b/i.test(url));

/** Any request body that must be accepted. */
export const validTarget = fc.constantFrom(...TYPES).chain((targetType) =>
  fc.record(
    {
      target_type: fc.constant(targetType),
      target_url: targetUrl,
      workspace_id: fc
        .string({ minLength: 1, maxLength: 50, unit: 'grapheme' })
        .filter((text) => /^\P{C}+$/u.test(text)),
      requested_fields: fc.option(fc.subarray(fieldsOf(registry.get(targetType)!), { minLength: 1 })),
      callback_url: fc.option(targetUrl),
      render: fc.constantFrom('auto', 'http', 'browser'),
    },
    { requiredKeys: ['target_type', 'target_url', 'workspace_id'] },
  ),
);
