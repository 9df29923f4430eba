import type { TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { FastifySchemaCompiler } from 'fastify';
import { fieldError, GleanerError } from '../domain/errors.js';
import { fieldFaults } from './faults.js';

/**
 * Compiles a route's schema once into a check. TypeBox rather than Fastify's built-in ajv, because its faults come
 * one by one: all of them can be reported, and a hostile body cannot make us build a million before we stop reading.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Their schemas are for the document. Node joins repeated headers and lowers names, so handlers read the raw lines.
  if (httpPart === 'headers') return (value: unknown) => ({ value });
  const check = TypeCompiler.Compile(schema);
  const isQuery = httpPart === 'querystring';
  return (received: unknown) => {
    const value = isQuery ? numbersRead(schema, received) : received;
    if (check.Check(value)) return { value };
    if (typeof value !== 'object' || value === null) return { error: noBody() };
    return { error: fieldError(fieldFaults(check.Errors(value), value)) };
  };
};

const noBody = (): GleanerError =>
  new GleanerError('malformed_request', 'The request body is empty; a JSON object is expected.');

/** A query string holds only text: what looks like a whole number becomes one where the schema wants one. */
function numbersRead(schema: TSchema, query: unknown): unknown {
  const read: Record<string, unknown> = { ...(query as Record<string, unknown>) };
  for (const [name, value] of Object.entries(read)) {
    const wantsNumber = schema.properties?.[name]?.type === 'integer';
    if (wantsNumber && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) read[name] = Number(value);
  }
  return read;
}
