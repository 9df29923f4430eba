import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { parse } from 'yaml';

/**
 * `openapi.yaml` as a client reads it: which operation a path belongs to, and whether an answer is one that the document
 * promises. Checked by ajv, which knows nothing of how we made the document.
 */
export type Schema = { [keyword: string]: unknown };

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  method: string;
  /** As in the document, with `{names}`. */
  path: string;
  parameters: Parameter[];
  body: Schema | null;
  responses: Map<number, Map<string, Schema>>;
}

export interface Answered {
  status: number;
  contentType: string | null;
  /** As it came. */
  body: string;
}

interface Written {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const document = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Written>>;
  components: { schemas: Record<string, Schema> };
};

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, written]) => ({
    method: method.toUpperCase(),
    path,
    parameters: written.parameters ?? [],
    body: written.requestBody?.content['application/json']?.schema ?? null,
    responses: new Map(
      Object.entries(written.responses).map(([status, { content = {} }]) => [
        Number(status),
        new Map(Object.entries(content).map(([type, { schema }]) => [type, schema])),
      ]),
    ),
  })),
);

/** The one a request is for; where two fit, the one with more of its path spelled out. */
export function operationFor(method: string, path: string): Operation | undefined {
  const [plain = ''] = path.split('?');
  const fits = operations.filter((each) => each.method === method && patternOf(each.path).test(plain));
  return fits.sort((left, right) => holes(left) - holes(right))[0];
}

const holes = ({ path }: Operation): number => path.split('{').length;
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** What of an answer is not in the document; empty where all of it is. */
export function undocumented(operation: Operation, { status, contentType, body }: Answered): string[] {
  const where = `${operation.method} ${operation.path}`;
  const content = operation.responses.get(status);
  if (!content) return [`${where} answers ${status}, which is not documented`];
  if (content.size === 0) return body === '' ? [] : [`${where} ${status} has a body, and none is documented`];
  const type = contentType?.split(';')[0]?.trim() ?? '';
  const schema = content.get(type);
  if (!schema) return [`${where} ${status} is ${type || 'of no type'}, which is not documented`];
  if (type !== 'application/json') return [];
  const check = validatorOf(schema);
  if (check(JSON.parse(body))) return [];
  return (check.errors ?? []).map((fault) => `${where} ${status}: ${fault.instancePath} ${fault.message}`);
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
// The package says what it exports in the old way only.
(formats.default as unknown as (to: Ajv2020) => void)(ajv);
ajv.addSchema({ $id: 'gleaner', components: document.components });

const compiled = new Map<Schema, ValidateFunction>();

function validatorOf(schema: Schema): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const check = ajv.compile(withOwnRefs(schema) as Schema);
  compiled.set(schema, check);
  return check;
}

/** References within the document, as references to the document. */
function withOwnRefs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withOwnRefs);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === '$ref' && typeof value === 'string' ? value.replace(/^#/, 'gleaner#') : withOwnRefs(value),
  ]);
  return Object.fromEntries(entries);
}

/** A schema that may stand for another one, as that one. */
export function resolved(schema: Schema): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  return name ? (document.components.schemas[name] ?? schema) : schema;
}
