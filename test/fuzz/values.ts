import fc from 'fast-check';
import { resolved, type Schema } from '../support/openapi.js';

/** Values made from a schema of the document: those it allows, those just outside, and those nobody thought of. */

/** What the schema allows. Names say what a schema cannot: which text is a URL that may be visited. */
export function valid(written: Schema, name = ''): fc.Arbitrary<unknown> {
  const schema = resolved(written);
  const { anyOf, enum: listed } = schema as { anyOf?: Schema[]; enum?: unknown[] };
  if ('const' in schema) return fc.constant(schema.const);
  if (listed) return fc.constantFrom(...listed);
  if (anyOf) return fc.oneof(...anyOf.map((each) => valid(each, name)));
  switch (schema.type) {
    case 'object':
      return object(schema);
    case 'array':
      return array(schema, name);
    case 'integer':
      // A run of thousands would be all that this is about.
      if (name === 'from' || name === 'to') return fc.nat({ max: 40 });
      return fc.integer({ min: Number(schema.minimum ?? -1000), max: Number(schema.maximum ?? 1000) });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return text(schema, name);
  }
}

interface ObjectSchema {
  properties?: Record<string, Schema>;
  required?: string[];
}

function object({ properties = {}, required = [] }: ObjectSchema): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valid(each, name)]));
  return fc.record(model, { requiredKeys: required });
}

/** Never long: what a hundred of them do is known from other tests, and costs a hundred times as much. */
function array(schema: { items?: Schema; minItems?: number; uniqueItems?: boolean }, name: string) {
  const { items = {}, minItems = 0, uniqueItems = false } = schema;
  const options = { minLength: minItems, maxLength: Math.max(minItems, 4) };
  return uniqueItems ? fc.uniqueArray(valid(items, name), options) : fc.array(valid(items, name), options);
}

interface TextSchema {
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

function text({ pattern, minLength = 0, maxLength = 60 }: TextSchema, name: string): fc.Arbitrary<string> {
  if (/url$|receiver/.test(name)) return publicUrl;
  if (name === 'requested_fields') return fc.constantFrom('job_title', 'company_name', 'name', 'title', 'location');
  if (name === 'adapter') return fc.constantFrom('court', 'court', 'court', 'nobody');
  if (name === 'identifiers') return fc.integer({ min: 0, max: 100_001 }).map((number) => `IMM-${number}-25`);
  if (/_(after|before)$|since/.test(name)) return time;
  if (pattern) return fc.stringMatching(new RegExp(pattern), { maxLength: Math.min(maxLength, 60) });
  return fc.string({ minLength, maxLength: Math.min(maxLength, 60), unit: 'grapheme' });
}

const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const publicUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), fc.webPath())
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`);

/** One step outside: the type, the range, the length or the name is wrong, and nothing else. */
export function nearlyValid(written: Schema, name = ''): fc.Arbitrary<unknown> {
  const schema = resolved(written) as ObjectSchema & Schema;
  if (schema.type !== 'object') return fc.oneof(edge(schema), hostile);
  const fields = Object.entries(schema.properties ?? {});
  const base = valid(schema, name) as fc.Arbitrary<Record<string, unknown>>;
  const spoilt = fields.map(([field, each]) =>
    fc.tuple(base, nearlyValid(each, field)).map(([whole, value]) => ({ ...whole, [field]: value })),
  );
  const lacking = fields.map(([field]) => base.map(({ [field]: _, ...rest }) => rest));
  const surplus = fc.tuple(base, fc.string({ maxLength: 20 }), hostile).map(([whole, key, value]) => {
    const copy = { ...whole };
    Object.defineProperty(copy, key, { value, enumerable: true });
    return copy;
  });
  return fc.oneof(surplus, ...spoilt, ...lacking);
}

function edge({ minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): fc.Arbitrary<unknown> {
  const values: unknown[] = ['', 0, -1, 0.5, 1e308, null, [], {}];
  if (typeof minimum === 'number') values.push(minimum - 1, minimum + 0.5, String(minimum));
  if (typeof maximum === 'number') values.push(maximum + 1, maximum * 1e9);
  if (typeof minLength === 'number') values.push('x'.repeat(Math.max(0, minLength - 1)));
  if (typeof maxLength === 'number') values.push('x'.repeat(maxLength), 'x'.repeat(maxLength + 1));
  if (typeof minItems === 'number') values.push(Array(Math.max(0, minItems - 1)).fill('x'));
  if (typeof maxItems === 'number') values.push(Array(maxItems + 1).fill('x'));
  return fc.constantFrom(...values);
}

/** What breaks programs: odd text, odd numbers, odd names, and URLs that lead where they should not. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\u202e\u200b',
    '%00',
    '%zz',
    '../../etc/passwd',
    "' OR 1=1 --",
    '$' + '{jndi:ldap://127.0.0.1/x}',
    '<script>alert(1)</script>',
    '__proto__',
    'constructor',
    'NaN',
    'Infinity',
    '-0',
    '1e999',
    '9007199254740993',
    'true',
    'null',
    'undefined',
    '0x10',
    '٣',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://2130706433/',
    'http://a:b@example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'https://xn--/',
    'https://example.com:99999/',
    `https://example.com/${'a'.repeat(3000)}`,
    Number.MAX_SAFE_INTEGER + 2,
    Number.MIN_VALUE,
    -0,
    true,
    false,
    null,
    [],
    [[[[]]]],
    {},
    { toString: 1, __proto__: null },
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer(),
  fc.double(),
  fc.object({ maxDepth: 2, maxKeys: 3 }),
  fc.array(fc.anything({ maxDepth: 1 }), { maxLength: 3 }),
);
