import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { openDoor, SCRAPE, type TestDoor, target, UUID } from './support.js';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.app.close());

describe('a fault', () => {
  it('nobody foresaw is answered 500 with a general sentence; its insides are only in the log', async () => {
    door.engine.broken = new Error('password=hunter2 at /src/inside.ts');
    const response = await door.post(SCRAPE, target());
    expect(response.statusCode).toBe(500);
    expect(response.json()).toEqual({
      success: false,
      data: null,
      error: 'Something went wrong on our side.',
      meta: { code: 'internal_error', retryable: true, request_id: response.headers['x-request-id'] },
    });
    const line = door.logLines.find((entry) => entry.level === 50);
    expect(line).toMatchObject({ request_id: response.headers['x-request-id'], err: { message: /inside/ } });
  });

  it('that calls itself internal does not show its sentence either', async () => {
    door.engine.broken = new GleanerError('internal_error', 'SELECT * FROM secrets');
    expect((await door.get(`${SCRAPE}/jobs`)).body).not.toContain('SELECT');
  });

  it('of the metrics or the health report is an envelope like any other', async () => {
    const fail = async () => {
      throw new Error('no');
    };
    const broken = await openDoor({ health: fail, metricsText: fail });
    for (const url of ['/health', '/metrics']) {
      const response = await broken.app.inject(url);
      expect(response.statusCode).toBe(500);
      expect(response.json().meta.code).toBe('internal_error');
    }
    await broken.app.close();
  });
});

describe('Retry-After', () => {
  it.each([
    [new GleanerError('queue_full', 'Full.'), '5'],
    [new GleanerError('shutting_down', 'Stopping.'), '10'],
    [new GleanerError('storage_unavailable', 'Disk.', { retryAfterMs: 1500 }), '2'],
    [new GleanerError('circuit_open', 'Open.', { retryAfterMs: 0 }), '1'],
  ])('is on every 503 (%s)', async (error, seconds) => {
    door.engine.broken = error;
    const response = await door.get(`${SCRAPE}/jobs`);
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe(seconds);
    expect(response.json().meta.retry_after_seconds).toBe(Number(seconds));
  });

  it('is on a full queue, and nothing of the batch was queued', async () => {
    door.engine.capacity = 2;
    const response = await door.post(`${SCRAPE}/batch`, { targets: [target(), target(), target()] });
    expect(response.statusCode).toBe(503);
    expect(response.json().meta).toMatchObject({ code: 'queue_full', retryable: true, retry_after_seconds: 5 });
    expect(door.engine.tasks.size).toBe(0);
  });
});

describe('while the service is stopping', () => {
  it('new work is refused before its body is read, and what is there can still be asked for', async () => {
    const id = (await door.post(SCRAPE, target())).json().data.task_id;
    door.engine.stopping = true;
    for (const url of [SCRAPE, `${SCRAPE}/sync`, `${SCRAPE}/batch`]) {
      const response = await door.post(url, 'not even an object');
      expect(response.statusCode).toBe(503);
      expect(response.json().meta.code).toBe('shutting_down');
    }
    expect((await door.get(`${SCRAPE}/${id}`)).statusCode).toBe(200);
    expect((await door.app.inject('/readiness')).json().meta.code).toBe('shutting_down');
    expect((await door.app.inject('/health')).statusCode).toBe(200);
  });
});

describe('a field fault', () => {
  const faultsOf = async (changes: Record<string, unknown>) =>
    (await door.post(SCRAPE, target(changes))).json().meta.fields as {
      field: string;
      message: string;
      value?: unknown;
    }[];

  it('says what was received and what is wished for', async () => {
    expect(await faultsOf({ render: 'fast', target_type: 'blog', workspace_id: 7 })).toEqual([
      {
        field: 'target_type',
        message: 'must be one of linkedin_profile, company_website, job_posting, web_page.',
        value: 'blog',
      },
      {
        field: 'workspace_id',
        message: 'must be a string of 1 to 200 characters without control characters.',
        value: 7,
      },
      { field: 'render', message: 'must be one of auto, http, browser.', value: 'fast' },
    ]);
  });

  it('of a missing field has no value', async () => {
    const [fault] = await faultsOf({ workspace_id: undefined });
    expect(fault).toEqual({ field: 'workspace_id', message: expect.stringMatching(/^is required/) });
  });

  it('of a requested field that does not exist names those that do', async () => {
    const [fault] = await faultsOf({ requested_fields: ['job_title', 'wages'] });
    expect(fault).toMatchObject({ field: 'requested_fields[1]', value: 'wages' });
    expect(fault?.message).toContain(
      'job_title, company_name, location, salary_range, salary, description, posting_url',
    );
  });

  it('quotes at most a hundred characters', async () => {
    const [fault] = await faultsOf({ render: 'x'.repeat(5000) });
    expect(fault?.value).toHaveLength(100);
  });

  it.each([
    'https://user:pa55word@example.com/',
    'https:\\\\user:pa55word@example.com',
    'https:user:pa55word@example.com',
  ])('does not repeat the credentials of %s', async (url) => {
    const response = await door.post(SCRAPE, target({ render: url, target_url: `${url}\u0000` }));
    expect(response.statusCode).toBe(422);
    expect(response.body).not.toContain('pa55word');
    expect((await door.post(SCRAPE, target({ target_url: url }))).body).not.toContain('pa55word');
  });

  it('does not repeat what a secret-looking field holds, nor what a container holds', async () => {
    const response = await door.post(
      SCRAPE,
      target({ api_key: 'k-123', Authorization: 'Bearer 123', zzz: { token: 't-123' } }),
    );
    expect(response.json().meta.fields.map((fault: { value: unknown }) => fault.value)).toEqual([
      '[hidden]',
      '[hidden]',
      '[object with 1 keys]',
    ]);
    expect(response.body).not.toMatch(/k-123|Bearer|t-123/);
  });

  it('of a query names the parameter', async () => {
    const response = await door.get(`${SCRAPE}/jobs?limit=101&status=odd&limt=5&created_after=2025-02-31T99:00:00Z`);
    expect(response.statusCode).toBe(422);
    const fields = response.json().meta.fields.map((fault: { field: string }) => fault.field);
    expect(fields).toEqual(['limt', 'limit', 'status']);
  });

  it.each([
    'limit=1.5',
    'limit=true',
    'limit=',
    'limit=1&limit=2',
    'limit=1e1',
    'created_before=yesterday',
    'created_after=2025-13-01',
    'cursor=',
  ])('is found in the query %s', async (query) => {
    expect((await door.get(`${SCRAPE}/jobs?${query}`)).statusCode).toBe(422);
  });
});

describe('a method the path does not have', () => {
  it.each([
    ['PUT', SCRAPE, 'POST'],
    ['GET', `${SCRAPE}/batch`, 'POST'],
    ['GET', `${SCRAPE}/sync`, 'POST'],
    ['DELETE', `${SCRAPE}/jobs`, 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
    ['OPTIONS', `${SCRAPE}/0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11`, 'GET, HEAD'],
  ] as const)('%s %s is answered 405 with Allow: %s', async (method, url, allow) => {
    const response = await door.call({ method, url });
    expect(response.statusCode).toBe(405);
    expect(response.headers.allow).toBe(allow);
    expect(response.json().meta.code).toBe('method_not_allowed');
  });
});

describe('every answer', () => {
  it('carries the headers that keep a browser from guessing, framing or caching', async () => {
    for (const url of ['/health', '/nowhere', `${SCRAPE}/jobs`, '/api/%zz', '/docs']) {
      const { headers } = await door.get(url);
      expect(headers['x-content-type-options'], url).toBe('nosniff');
      expect(headers['content-security-policy'], url).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
      expect(headers['x-request-id'], url).toMatch(UUID);
      expect(headers['x-powered-by'], url).toBeUndefined();
    }
    expect((await door.get(`${SCRAPE}/jobs`)).headers['cache-control']).toBe('no-store');
  });

  it('to an id that is malformed or unknown is 404 with the code of its kind', async () => {
    for (const id of ['x', '0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11']) {
      expect((await door.get(`${SCRAPE}/${id}`)).json().meta.code).toBe('task_not_found');
      expect((await door.get(`${SCRAPE}/jobs/${id}`)).json().meta.code).toBe('job_not_found');
      expect((await door.get(`${SCRAPE}/jobs/${id}/results`)).json().meta.code).toBe('job_not_found');
    }
  });
});

describe('the trace of the caller', () => {
  it('is carried into the log and to the engine', async () => {
    const response = await door.post(SCRAPE, target(), { traceparent: TRACEPARENT });
    expect(door.engine.callers).toEqual([{ requestId: response.headers['x-request-id'], traceparent: TRACEPARENT }]);
    expect(door.logLines.at(-1)).toMatchObject({ trace_id: '0af7651916cd43dd8448eb211c80319c' });
  });

  it.each([
    'x',
    TRACEPARENT.toUpperCase(),
    `ff${TRACEPARENT.slice(2)}`,
    `${TRACEPARENT}-more`,
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
    `${TRACEPARENT}, ${TRACEPARENT}`,
  ])('is ignored when it is malformed (%s)', async (traceparent) => {
    await door.post(SCRAPE, target(), { traceparent });
    expect(door.engine.callers[0]?.traceparent).toBeNull();
    expect(door.logLines.at(-1)).not.toHaveProperty('trace_id');
  });

  it('may be of a later version with more parts', async () => {
    const later = `01${TRACEPARENT.slice(2)}-what-comes-later`;
    await door.post(SCRAPE, target(), { traceparent: later });
    expect(door.engine.callers[0]?.traceparent).toBe(later);
  });
});

describe('the log', () => {
  it('has one line per request, with the pattern of the route and not its path', async () => {
    await door.get(`${SCRAPE}/0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11`);
    await door.app.inject('/some/private/path?token=xyz');
    expect(door.logLines).toHaveLength(2);
    expect(door.logLines[0]).toMatchObject({
      method: 'GET',
      route: `${SCRAPE}/:taskId`,
      status: 404,
      code: 'task_not_found',
      duration_ms: expect.any(Number),
    });
    expect(door.logLines[1]).toMatchObject({ route: 'unmatched', status: 404 });
    expect(JSON.stringify(door.logLines)).not.toMatch(/private|xyz/);
    expect(door.answered.map(({ route, status }) => [route, status])).toEqual([
      [`${SCRAPE}/:taskId`, 404],
      ['unmatched', 404],
    ]);
  });
});
