import { FormatRegistry } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_TABLE, type ErrorCode, GleanerError } from '../../src/domain/errors.js';
import { ErrorCodeWire } from '../../src/http/schemas/answers.js';
import { FailureMetaWire, FailureWire, FieldFaultWire } from '../../src/http/schemas/envelopes.js';
import { KEY, openDoor, SCRAPE, type TestDoor, UUID } from '../http/support.js';
import { validTarget } from '../support/scrape-requests.js';

const RUNS = { numRuns: 150 };

let door: TestDoor;
const counts = { browsersAvailable: 1, healthyProxies: 1 };

beforeAll(async () => {
  FormatRegistry.Set('uuid', (text) => UUID.test(text));
  door = await openDoor({ readiness: () => counts });
});
afterAll(() => door.app.close());

// Generators

const ascii = (options: { minLength?: number; maxLength: number }) =>
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), ...options });

const UNDER_TEST: { method: 'GET' | 'POST'; url: string }[] = [
  { method: 'POST', url: SCRAPE },
  { method: 'POST', url: `${SCRAPE}/sync` },
  { method: 'POST', url: `${SCRAPE}/batch` },
  { method: 'GET', url: `${SCRAPE}/0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11` },
  { method: 'GET', url: `${SCRAPE}/jobs` },
  { method: 'GET', url: `${SCRAPE}/jobs/0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11` },
  { method: 'GET', url: `${SCRAPE}/jobs/0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11/results` },
  { method: 'POST', url: `${SCRAPE}/jobs/0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11/cancel` },
];

const anyPath = fc.oneof(
  fc.constantFrom(
    ...UNDER_TEST.map(({ url }) => url),
    '/health',
    '/readiness',
    '/nowhere',
    '/api',
    '//',
    '/%2e%2e/x',
    '/%00',
    '/%zz',
  ),
  fc.webPath().map((path) => `/${path}`),
);

const anyRequest: fc.Arbitrary<InjectOptions> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
  url: fc.tuple(anyPath, fc.constantFrom('', '?limit=0', '?limit=5', '?x=1')).map((parts) => parts.join('')),
  headers: fc.record({
    'x-service-key': fc.constantFrom(KEY, KEY, KEY, 'wrong'),
    'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'nonsense'),
  }),
  payload: fc.oneof(
    validTarget.map((body) => JSON.stringify(body)),
    fc.json(),
    fc.string(),
    fc.constant(''),
  ),
});

/** What the engine may throw at the door, foreseen or not. */
const anyFault: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  fc.constantFrom(...(Object.keys(ERROR_TABLE) as ErrorCode[])).map((code) => new GleanerError(code, 'A sentence.')),
  fc.string().map((message) => new Error(message)),
  fc.constantFrom<unknown>('a thrown string', 42, Object.assign(new Error('x'), { statusCode: 200 }), {
    code: 'FST_ERR_NOT_FOUND',
  }),
);

/** How a visit ends, so that nobody waits for one. */
const anyEnd: fc.Arbitrary<(id: string) => void> = fc.oneof(
  fc.constant((id: string) => door.engine.complete(id, { name: 'x' })),
  fc
    .constantFrom(...(Object.keys(ERROR_TABLE) as ErrorCode[]))
    .map((code) => (id: string) => door.engine.fail(id, code, 'A sentence.')),
);

const REFERENCES = [ErrorCodeWire, FieldFaultWire, FailureMetaWire];

function expectEnvelope(response: LightMyRequestResponse): void {
  const body = response.json();
  expect(Object.keys(body)).toEqual(['success', 'data', 'error', 'meta']);
  expect(body.meta.request_id).toBe(response.headers['x-request-id']);
  if (response.statusCode < 400) {
    expect(body).toMatchObject({ success: true, error: null });
    return;
  }
  expect(body.success).toBe(false);
  expect(typeof body.error).toBe('string');
  expect([...Value.Errors(FailureWire, REFERENCES, body)].map((error) => `${error.path} ${error.message}`)).toEqual([]);
  expect(response.statusCode).toBe(ERROR_TABLE[body.meta.code as ErrorCode].status);
  if (response.statusCode === 503) expect(Number(response.headers['retry-after'])).toBe(body.meta.retry_after_seconds);
}

describe('the door', { timeout: 60_000 }, () => {
  it('Property 1: every answer is the envelope, and its status, success and error agree', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, anyFault, anyEnd, async (request, fault, end) => {
        door.engine.broken = fault;
        door.engine.visit = (id) => end(id);
        expectEnvelope(await door.app.inject(request));
      }),
      { numRuns: 500 },
    );
    door.engine.broken = undefined;
    door.engine.visit = undefined;
  });

  it('Property 2: readiness is 200 if and only if a browser can serve, a proxy is healthy and work is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.boolean(), async (browsers, proxies, stopping) => {
        Object.assign(counts, { browsersAvailable: browsers, healthyProxies: proxies });
        door.engine.stopping = stopping;
        const response = await door.app.inject('/readiness');
        expect(response.statusCode).toBe(browsers > 0 && proxies > 0 && !stopping ? 200 : 503);
        expectEnvelope(response);
      }),
      RUNS,
    );
    door.engine.stopping = false;
  });

  it('Property 3: every answer has an X-Request-ID that is a UUID and no other answer has', async () => {
    const seen = new Set<unknown>();
    door.engine.visit = (id) => door.engine.complete(id, {});
    const chosen = fc.option(fc.oneof(fc.uuid(), ascii({ maxLength: 20 })), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyRequest, chosen), { minLength: 1, maxLength: 5 }), async (requests) => {
        const answers = requests.map(([request, id]) =>
          door.app.inject({
            ...request,
            headers: { ...request.headers, ...(id === undefined ? {} : { 'x-request-id': id }) },
          }),
        );
        for (const answer of await Promise.all(answers)) {
          const id = answer.headers['x-request-id'];
          expect(id).toMatch(UUID);
          expect(seen.has(id)).toBe(false);
          seen.add(id);
        }
      }),
      RUNS,
    );
    door.engine.visit = undefined;
  });

  it('Property 4: a request under /api is let in if and only if it carries one of the configured keys', async () => {
    const keys = [KEY, 'the-next-key'];
    const near = fc
      .constantFrom(...keys)
      .chain((key) =>
        fc.constantFrom(
          key,
          key.toUpperCase(),
          key.slice(1),
          `${key}x`,
          `${key},${key}`,
          ` ${key}`.trim(),
          `${key}\u00e9`,
        ),
      );
    const presented = fc.option(fc.oneof(near, ascii({ minLength: 1, maxLength: 40 })), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...UNDER_TEST), presented, async ({ method, url }, key) => {
        const headers = key === undefined ? {} : { 'x-service-key': key };
        const response = await door.app.inject({ method, url, headers });
        expect(response.statusCode !== 401).toBe(key !== undefined && keys.includes(key));
        if (response.statusCode === 401) expect(response.json().meta.code).toBe('unauthorized');
      }),
      { numRuns: 300 },
    );
  });
});
