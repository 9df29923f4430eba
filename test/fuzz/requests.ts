import fc from 'fast-check';
import { type Operation, operations, type Parameter } from '../support/openapi.js';
import { hostile, nearlyValid, valid } from './values.js';

/** Something that exists by the time the request is made: the n-th task, job, delivery or run that was opened before it. */
export interface Known {
  kind: 'task' | 'job' | 'delivery' | 'run';
  n: number;
}

export interface FuzzRequest {
  operation: Operation;
  path: Record<string, string | Known>;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

/** Any request for any operation of the document; every operation comes as often as every other. */
export const anyRequest = (key: string): fc.Arbitrary<FuzzRequest> =>
  fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: record(operation.parameters.filter((each) => each.in === 'path').map((each) => [each.name, part(each)])),
      query: queryOf(operation.parameters.filter((each) => each.in === 'query')),
      headers: headersOf(operation, key),
      body: bodyOf(operation),
    }),
  );

const record = <T>(entries: [string, fc.Arbitrary<T>][]): fc.Arbitrary<Record<string, T>> =>
  fc.record(Object.fromEntries(entries)) as fc.Arbitrary<Record<string, T>>;

const HOSTS = ['example.com', 'www.example.co.uk', '127.0.0.1', '[::1]', 'xn--bcher-kva.example', 'EXAMPLE.COM.'];

/** A segment of a path is never empty, and `.` and `..` are gone before a request is sent: those are other paths. */
function part({ name }: Parameter): fc.Arbitrary<string | Known> {
  const odd = hostile.map(asText).filter((text) => text !== '' && text !== '.' && text !== '..');
  const kind = /task|job|delivery|run/.exec(name)?.[0] as Known['kind'] | undefined;
  if (!kind) return fc.oneof(fc.constantFrom(...HOSTS), fc.domain(), odd);
  const known = fc.nat({ max: 1000 }).map((n): Known => ({ kind, n }));
  return fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: fc.uuid() }, { weight: 2, arbitrary: odd });
}

function queryOf(parameters: Parameter[]): fc.Arbitrary<[string, string][]> {
  const wellFormed = parameters.map(({ name, schema }): fc.Arbitrary<[string, string]> => {
    const value = fc.oneof(
      { weight: 3, arbitrary: valid(schema, name) },
      { weight: 1, arbitrary: nearlyValid(schema, name) },
    );
    return value.map((each) => [name, asText(each)]);
  });
  const unknown = fc.tuple(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
    hostile.map(asText),
  ) as fc.Arbitrary<[string, string]>;
  const none = fc.constant<[string, string][]>([]);
  if (wellFormed.length === 0)
    return rarely(
      unknown.map((pair) => [pair]),
      none,
      1,
    );
  return fc.oneof(
    { weight: 2, arbitrary: none },
    { weight: 4, arbitrary: fc.array(fc.oneof(...wellFormed), { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(fc.oneof(unknown, ...wellFormed), { minLength: 1, maxLength: 4 }) },
  );
}

const rarely = <T>(odd: fc.Arbitrary<T>, usual: fc.Arbitrary<T>, inTen: number): fc.Arbitrary<T> =>
  fc.oneof({ weight: inTen, arbitrary: odd }, { weight: 10 - inTen, arbitrary: usual });

/** What a client can put into a header: no line breaks, and one byte a character. */
const headerText = fc
  .string({ maxLength: 40, unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .map((text) => text.replace(/[\x7f-\x9f]/g, '').trim());

function headersOf(operation: Operation, key: string): fc.Arbitrary<Record<string, string>> {
  const own = operation.parameters
    .filter((each) => each.in === 'header')
    .map(({ name, schema }) =>
      rarely(headerText, valid(schema, name) as fc.Arbitrary<string>, 3).map((v) => [name, v]),
    );
  const usual = fc.constant(key);
  const keys = rarely(headerText, usual, 1).map((text) => ['X-Service-Key', text]);
  const type = rarely(
    fc.constantFrom(
      'text/plain',
      'application/json; charset=latin1',
      'multipart/form-data',
      'application/xml',
      '',
      '*',
    ),
    fc.constantFrom('application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'),
    1,
  ).map((text) => ['Content-Type', text]);
  const others = fc.tuple(
    fc.constantFrom('Accept', 'Accept-Encoding', 'Traceparent', 'X-Request-ID', 'Origin', 'Cookie', 'Referer', 'Range'),
    headerText,
  );
  return fc
    .tuple(keys, type, fc.option(fc.oneof(...own, others)), fc.option(others, { freq: 8 }))
    .map(([first, second, third, fourth]) => {
      const sent = [first, second, third, fourth].filter((pair) => pair !== null) as [string, string][];
      return Object.fromEntries(operation.method === 'GET' ? sent.filter(([name]) => name !== 'Content-Type') : sent);
    });
}

function bodyOf({ method, body }: Operation): fc.Arbitrary<string | Buffer | undefined> {
  if (method === 'GET') return fc.constant(undefined);
  const garbage = fc.oneof(
    fc.constantFrom('', '{', '[]', 'null', '{"a":1,}', '"text"', '{"__proto__":{"x":1}}', '\ufeff{}', '['.repeat(5000)),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    hostile.map(json),
  );
  if (!body) return fc.oneof(fc.constantFrom(undefined, '', '{}'), garbage);
  return fc.oneof(
    { weight: 5, arbitrary: valid(body).map(json) },
    { weight: 4, arbitrary: nearlyValid(body).map(json) },
    { weight: 1, arbitrary: garbage },
  );
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each)) ?? '';

/** As somebody writes it into a URL who does not know better. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? json(value) : String(value);
}
