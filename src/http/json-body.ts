import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { GleanerError } from '../domain/errors.js';

/** Far above the largest honest batch (100 targets with every field listed), far below what costs noticeable time. */
const MAX_DEPTH = 16;
const MAX_VALUES = 20_000;

/** JSON is the only body that is read, and only as an object. `__proto__` and `constructor.prototype` keys are refused. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    // A client library may announce JSON and send nothing; where no body is expected, that is no fault.
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) return done(null, undefined);
    const refusal = unreadable(body);
    if (refusal !== null) return done(new GleanerError('malformed_request', refusal), undefined);
    parse(request, body.toString('utf8'), (error, value) => {
      if (error !== null || isPlainObject(value)) return done(error, value);
      done(new GleanerError('malformed_request', 'The request body must be a JSON object.'), undefined);
    });
  });
}

/** Looked at before it is parsed: a megabyte of brackets or commas must not become a million values first. */
function unreadable(body: Buffer): string | null {
  if (!isUtf8(body)) return 'The request body is not valid UTF-8.';
  const { depth, values } = shapeOf(body);
  if (depth > MAX_DEPTH) return `The request body is nested deeper than ${MAX_DEPTH} levels.`;
  if (values > MAX_VALUES) return `The request body holds more than ${MAX_VALUES} values.`;
  return null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Depth and an upper bound of the number of values, from the bytes alone. ASCII never occurs inside a UTF-8 sequence. */
function shapeOf(body: Buffer): { depth: number; values: number } {
  let level = 0;
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++level > depth) depth = level;
    } else if (byte === 0x5d || byte === 0x7d) level--;
  }
  return { depth, values };
}

const isPlainObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
