import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY, openDoor, SCRAPE, type TestDoor, target } from './support.js';

interface Row {
  id: string;
  name: string;
  method: string;
  contentType: string | null;
  headers?: Record<string, string>;
  body?: string;
  bodyBase64?: string;
  generate?: string;
  raw?: boolean;
  expect: { status?: number; status_in?: number[]; max_ms?: number };
}

const rows: Row[] = JSON.parse(readFileSync(new URL('../vectors/api_robustness.json', import.meta.url), 'utf8'));

/**
 * The rows speak of a generic endpoint; here their fields get our names. Where a row expects 400 for a body that is
 * readable JSON but breaks the schema, we answer 422 and name the field: 400 is for what cannot be read at all.
 */
const OURS: Record<string, { url?: string; body?: string; status: number[] }> = {
  'api-16': { body: JSON.stringify(target({ target_url: 'https://example.com/\u0000' })), status: [422] },
  'api-22': {
    url: `${SCRAPE}/sync`,
    body: JSON.stringify(target()).replace('}', ',"timeout_seconds":9007199254740993}'),
    status: [422],
  },
  'api-24': { body: JSON.stringify(target({ zzz: 1 })), status: [422] },
  'api-45': { url: `${SCRAPE}/batch`, body: '{"targets":[]}', status: [422] },
  'api-46': {
    url: `${SCRAPE}/batch`,
    body: JSON.stringify({ targets: Array(101).fill(target()) }),
    status: [422],
  },
};

/** Sockets, keys and paths have tests of their own beside this one. */
const ELSEWHERE = new Set(['api-30', 'api-44', 'api-48', 'api-52', 'api-54']);

describe('hostile request bodies', () => {
  let door: TestDoor;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door.app.close());

  for (const row of rows.filter(({ id, raw }) => raw !== true && !ELSEWHERE.has(id))) {
    it(`${row.id} (${row.name}) is refused in time, and nothing is polluted or queued`, async () => {
      const ours = OURS[row.id];
      const wanted = ours?.status ?? row.expect.status_in ?? [row.expect.status];
      const payload = ours?.body ?? bodyOf(row);
      const usedBefore = cpuMs();
      const response = await door.call({
        method: row.method as 'POST',
        url: ours?.url ?? SCRAPE,
        headers: row.contentType === null ? {} : { 'content-type': row.contentType },
        payload,
      });
      expect(wanted, response.body).toContain(response.statusCode);
      expect(cpuMs() - usedBefore).toBeLessThan(row.expect.max_ms ?? 1000);
      expect(response.json()).toMatchObject({ success: false, error: expect.any(String) });
      expect(door.engine.tasks.size).toBe(0);
      for (const name of ['isAdmin', 'x']) expect(name in {}).toBe(false);
    });
  }

  it('refuses a compressed body without unpacking it', async () => {
    const bomb = gzipSync(Buffer.alloc(1024 * 1024));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const response = await door.call({ method: 'POST', url: SCRAPE, headers, payload: bomb });
    expect(response.statusCode).toBe(415);
  });

  it('takes the last of two equal keys and is not confused by it', async () => {
    const payload = JSON.stringify(target()).replace('{', '{"render":"http",').replace('}', ',"render":"browser"}');
    const response = await door.call({
      method: 'POST',
      url: SCRAPE,
      headers: { 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode).toBe(202);
    expect(door.engine.tasks.get(response.json().data.task_id)?.render).toBe('browser');
  });

  it.each(['[]', '"text"', 'true', '0'])('refuses the body %s as 400: only objects are read', async (payload) => {
    const headers = { 'content-type': 'application/json' };
    const response = await door.call({ method: 'POST', url: SCRAPE, headers, payload });
    expect(response.statusCode).toBe(400);
    expect(response.json().meta.code).toBe('malformed_request');
  });

  it('refuses a body nested too deep even where the nesting is inside a known field', async () => {
    const nested = `${'['.repeat(20)}${']'.repeat(20)}`;
    const payload = `{"target_type":${nested}}`;
    const headers = { 'content-type': 'application/json' };
    const response = await door.call({ method: 'POST', url: SCRAPE, headers, payload });
    expect(response.statusCode).toBe(400);
  });

  it('does not count brackets inside strings as nesting', async () => {
    const workspace = '[{"\\'.repeat(20);
    expect((await door.post(SCRAPE, target({ workspace_id: workspace }))).statusCode).toBe(202);
  });

  it.each([
    '//',
    '/%2e%2e/etc/passwd',
    '/%00',
    '/api/v1/scrape/%00',
    '/api/v1/scrape/..%2f..%2fhealth',
    '/api/v1/scrape/jobs/%ff',
    '/%zz',
  ])('answers the odd path %s with 400 or 404', async (url) => {
    const response = await door.get(url);
    expect([400, 404]).toContain(response.statusCode);
    expect(response.json().success).toBe(false);
  });

  it('answers an over-long path parameter with 414', async () => {
    const response = await door.get(`${SCRAPE}/${'a'.repeat(500)}`);
    expect(response.statusCode).toBe(414);
    expect(response.json().meta.code).toBe('uri_too_long');
  });

  it('reports a thousand faults in bounded space and time', async () => {
    const targets = Array.from({ length: 1000 }, () => ({ a: 1, b: 2, c: 3 }));
    const usedBefore = cpuMs();
    const response = await door.post(`${SCRAPE}/batch`, { targets });
    expect(response.statusCode).toBe(422);
    expect(response.json().meta.fields.length).toBeLessThanOrEqual(1000);
    expect(cpuMs() - usedBefore).toBeLessThan(1000);
  });

  it('names every fault of every target of an ordinary wrong batch', async () => {
    const targets = Array.from({ length: 100 }, () => ({
      target_type: 'x',
      target_url: 1,
      workspace_id: '',
      render: 0,
    }));
    const { fields } = (await door.post(`${SCRAPE}/batch`, { targets })).json().meta;
    expect(fields).toHaveLength(400);
    expect(fields.at(-1).field).toBe('targets[99].render');
  });
});

describe('the service key', () => {
  let door: TestDoor;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door.app.close());

  it('is asked for before the body is read, also on unknown paths under /api', async () => {
    for (const url of [SCRAPE, '/api', '/api/', '/api/v2/other', '/%61pi/v1/scrape', '/API/x']) {
      const response = await door.app.inject({ method: 'POST', url, payload: 'not json' });
      expect(response.statusCode, url).toBe(401);
    }
  });

  it('is not taken from the query string', async () => {
    const response = await door.app.inject(`${SCRAPE}/jobs?X-Service-Key=${KEY}&x-service-key=${KEY}`);
    expect(response.statusCode).toBe(401);
  });

  it('may be any of several, so that it can be rotated', async () => {
    const headers = { 'x-service-key': 'the-next-key' };
    expect((await door.app.inject({ url: `${SCRAPE}/jobs`, headers })).statusCode).toBe(200);
  });

  it('is never an empty one, even where an empty one is configured', async () => {
    const lax = await openDoor({ serviceKeys: [''] });
    const response = await lax.app.inject({ url: `${SCRAPE}/jobs`, headers: { 'x-service-key': '' } });
    expect(response.statusCode).toBe(401);
    await lax.app.close();
  });

  it('does not appear in the log, right or wrong', async () => {
    await door.get(`${SCRAPE}/jobs`);
    await door.app.inject({ url: `${SCRAPE}/jobs`, headers: { 'x-service-key': 'a-wrong-guess' } });
    const log = JSON.stringify(door.logLines);
    expect(log).not.toContain(KEY);
    expect(log).not.toContain('a-wrong-guess');
  });

  it.each(['/health', '/readiness', '/metrics', '/docs', '/openapi.json', '/openapi.yaml'])(
    'is not needed for %s',
    async (url) => {
      expect((await door.app.inject(url)).statusCode).toBe(200);
    },
  );
});

/** The time we spent, whatever else the machine is busy with. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function bodyOf(row: Row): string | Buffer {
  if (row.bodyBase64 !== undefined) return Buffer.from(row.bodyBase64, 'base64');
  switch (row.id) {
    case 'api-17':
      return '['.repeat(1e5) + ']'.repeat(1e5);
    case 'api-25':
      return JSON.stringify(Object.fromEntries(Array.from({ length: 1e5 }, (_, index) => [`k${index}`, 1])));
    case 'api-26':
      return JSON.stringify({ url: 'https://example.com/', x: 'a'.repeat(1048577) });
    default:
      return row.body ?? '';
  }
}
