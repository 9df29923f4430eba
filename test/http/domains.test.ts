import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { ErrorCodeWire } from '../../src/http/schemas/answers.js';
import { DomainReportWire, DomainWire, ResetWire } from '../../src/http/schemas/domains.js';
import { domainParts } from '../support/domain-parts.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { verdictOf } from '../support/robots.js';
import { lookAt } from '../support/sinks.js';
import { startSite } from '../support/site.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { listening, openDoor, type TestDoor, UUID } from './support.js';

const DOMAINS = '/api/v1/domains';
const CANARY = 'canary-hush-hush';
const broken = new GleanerError('target_server_error', 'The target answered 503.');
const proxies = [{ id: '1:p.example', url: `http://user:${CANARY}@p.example:8080`, region: null }];

FormatRegistry.Set('uuid', (text) => UUID.test(text));
FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)));
const faults = (schema: TSchema, value: unknown): string[] =>
  [...Value.Errors({ ...schema, additionalProperties: false }, [ErrorCodeWire], value)].map(
    ({ path, message }) => `${path} ${message}`,
  );

let clock: VirtualClock;
let parts: ReturnType<typeof domainParts>;
let door: TestDoor;
let auditLines: object[];
beforeEach(async () => {
  clock = new VirtualClock();
  auditLines = [];
  const keep = (fields: object): void => {
    if ('audit' in fields) auditLines.push(fields);
  };
  parts = domainParts({
    clock,
    log: { debug: keep, info: keep, warn: keep, error: keep },
    entries: { 'api.a.example': { tokensPerInterval: 1, allowedHours: { start: 22, end: 6 } } },
    proxies,
  });
  door = await openDoor({ domains: parts.domains });
});
afterEach(() => door.app.close());

const names = (response: { json(): { data: { items: { domain: string }[] } } }): string[] =>
  response.json().data.items.map(({ domain }) => domain);

describe('the report of a domain', () => {
  it('of one that was never visited is 200: its policy, a closed breaker, all its tokens', async () => {
    const response = await door.get(`${DOMAINS}/WWW.Never.Example`);
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toEqual({
      domain: 'never.example',
      queued_tasks: 0,
      next_visit_at: null,
      waiting_for: null,
      breaker: {
        state: 'closed',
        failures: 0,
        window_size: 10,
        reason: null,
        opened_at: null,
        next_probe_at: null,
        probe_under_way: false,
      },
      rate_limits: [
        {
          key: 'never.example',
          tokens_per_interval: 2,
          tokens_left: 2,
          interval_seconds: 10,
          next_grant_at: null,
          visits_under_way: 0,
          slowdown: 1,
          slow_until: null,
        },
      ],
      robots: [],
      policy: {
        entry: null,
        tokens_per_interval: 2,
        interval_seconds: 10,
        min_interval_ms: 0,
        min_delay_ms: 500,
        max_delay_ms: 2000,
        max_concurrent: null,
        browser_engine: null,
        allowed_hours: null,
        respect_robots_txt: true,
        robots_reason: null,
      },
      proxy_cooldowns: [],
      render: [],
      last_reset: null,
    });
    expect((await door.get(DOMAINS)).json().data).toEqual({ items: [], next_cursor: null });
  });

  it('shows breaker, tokens and proxies of a domain in trouble, in ISO times, as the schema says, without secrets', async () => {
    await parts.begin('https://a.example/');
    await parts.begin('https://api.a.example/');
    parts.fail('https://www.a.example/', broken);
    parts.experience.learn({ domain: 'a.example', targetType: 'job_posting' }, { kind: 'enough' }, clock.mono());
    await clock.advance(1_000);
    const response = await door.get(`${DOMAINS}/api.a.example`);
    const { data } = response.json();
    expect(faults(DomainReportWire, data)).toEqual([]);
    expect(data).toMatchObject({
      domain: 'a.example',
      breaker: {
        state: 'open',
        reason: { code: 'target_server_error', message: 'The target answered 503.' },
        opened_at: '2026-01-05T12:00:00.000Z',
        next_probe_at: '2026-01-05T12:02:00.000Z',
      },
      rate_limits: [
        { key: 'a.example', tokens_left: 1, visits_under_way: 1, next_grant_at: null },
        { key: 'api.a.example', tokens_left: 0, next_grant_at: '2026-01-05T12:00:10.000Z' },
      ],
      policy: { entry: 'api.a.example', tokens_per_interval: 1, allowed_hours: { start: 22, end: 6 } },
      proxy_cooldowns: [{ proxy: '1:p.example', until: '2026-01-05T12:00:30.000Z' }],
      render: [{ target_type: 'job_posting', habit: 'http_first' }],
    });
    expect(response.body).not.toContain(CANARY);
    expect(JSON.stringify(door.logLines)).not.toContain(CANARY);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['%5B::1%5D', '::1'],
    ['2001:db8:0:0::1', '2001:db8::1'],
    ['two.github.io', 'two.github.io'],
    ['b%C3%BCcher.example', 'xn--bcher-kva.example'],
    ['shop.example.co.uk.', 'example.co.uk'],
  ])('asked for %s is that of %s', async (asked, domain) => {
    const response = await door.get(`${DOMAINS}/${asked}`);
    expect(response.statusCode).toBe(200);
    expect(response.json().data.domain).toBe(domain);
  });

  it.each([
    ['a.example:80', 'a.example:80'],
    ['*.example', '*.example'],
    ['a..example', 'a..example'],
    ['%20', ' '],
    ['https%3A%2F%2Fa.example', 'https://a.example'],
    ['x%3Ahush%40a.example', 'x:[hidden]@a.example'],
    ['a%00.example', 'a\u0000.example'],
  ])('asked for %s is 422, names the field and quotes the value', async (asked, quoted) => {
    for (const method of ['GET', 'POST'] as const) {
      const url = `${DOMAINS}/${asked}${method === 'POST' ? '/reset' : ''}`;
      const response = await door.call({ method, url });
      expect(response.statusCode).toBe(422);
      expect(response.json().meta).toMatchObject({
        code: 'validation_failed',
        fields: [{ field: 'domain', value: quoted }],
      });
    }
    expect(auditLines).toEqual([]);
  });

  it('needs the key, as the list and the reset do', async () => {
    for (const [method, url] of [
      ['GET', DOMAINS],
      ['GET', `${DOMAINS}/a.example`],
      ['POST', `${DOMAINS}/a.example/reset`],
    ] as const) {
      const response = await door.app.inject({ method, url });
      expect(response.statusCode).toBe(401);
      expect(response.json().meta.code).toBe('unauthorized');
    }
    expect(auditLines).toEqual([]);
    expect((await door.call({ method: 'DELETE', url: `${DOMAINS}/a.example` })).statusCode).toBe(405);
    expect((await door.get(`${DOMAINS}/a.example?verbose=1`)).statusCode).toBe(422);
  });

  it('takes a host name as long as one can be, and answers 414 to what is longer', async () => {
    const longest = `${`${'a'.repeat(63)}.`.repeat(3)}${'a'.repeat(53)}.example`;
    expect(longest).toHaveLength(253);
    expect((await door.get(`${DOMAINS}/${longest}`)).statusCode).toBe(200);
    expect((await door.get(`${DOMAINS}/${longest}.`)).statusCode).toBe(200);
    expect((await door.get(`${DOMAINS}/${'a'.repeat(255)}`)).statusCode).toBe(414);
  });
});

describe('a reset', () => {
  it('closes the breaker, tells the state before, and is audited with who asked', async () => {
    parts.fail('https://a.example/', broken);
    const response = await door.call({ method: 'POST', url: `${DOMAINS}/www.a.example/reset` });
    expect(response.statusCode).toBe(200);
    const { data, meta } = response.json();
    expect(faults(ResetWire, data)).toEqual([]);
    expect(data).toMatchObject({
      domain: 'a.example',
      state_before: 'open',
      breaker: { state: 'closed', reason: null },
      last_reset: { at: '2026-01-05T12:00:00.000Z', request_id: meta.request_id },
    });
    expect(auditLines).toEqual([
      {
        audit: true,
        action: 'breaker_reset',
        domain: 'a.example',
        state_before: 'open',
        request_id: meta.request_id,
        client_address: '127.0.0.1',
      },
    ]);
    expect((await door.get(`${DOMAINS}/a.example`)).json().data.last_reset.request_id).toBe(meta.request_id);
    expect(await parts.begin('https://a.example/')).not.toBeNull();
  });

  it('of a closed breaker answers the same, with no body, an empty one, or an empty object', async () => {
    for (const sent of [
      {},
      { headers: { 'content-type': 'application/json' } },
      { headers: { 'content-type': 'application/json' }, payload: '{}' },
    ]) {
      const response = await door.call({ method: 'POST', url: `${DOMAINS}/a.example/reset`, ...sent });
      expect(response.statusCode).toBe(200);
      expect(response.json().data).toMatchObject({ state_before: 'closed', breaker: { state: 'closed' } });
    }
    expect(auditLines).toHaveLength(3);
  });

  it('with a body that says something is refused and changes nothing', async () => {
    parts.fail('https://a.example/', broken);
    const url = `${DOMAINS}/a.example/reset`;
    const response = await door.post(url, { force: true });
    expect(response.statusCode).toBe(422);
    expect(response.json().meta.fields).toMatchObject([{ field: 'force' }]);
    expect((await door.post(url, [])).statusCode).toBe(400);
    expect(parts.breaker.report('a.example').state).toBe('open');
    expect(auditLines).toEqual([]);
  });
});

describe('the list of domains', () => {
  it('is by name, paged by a cursor that holds whatever comes, and filtered by the state of the breaker', async () => {
    for (const letter of ['e', 'a', 'c']) parts.fail(`https://${letter}.example/`, broken);
    await parts.begin('https://g.example/');
    const first = await door.get(`${DOMAINS}?limit=2`);
    expect(names(first)).toEqual(['a.example', 'c.example']);
    for (const item of first.json().data.items) expect(faults(DomainWire, item)).toEqual([]);
    for (const letter of ['b', 'd']) parts.fail(`https://${letter}.example/`, broken, 1);
    const { next_cursor: cursor } = first.json().data;
    const second = await door.get(`${DOMAINS}?limit=2&cursor=${cursor}`);
    expect(names(second)).toEqual(['d.example', 'e.example']);
    const third = await door.get(`${DOMAINS}?limit=2&cursor=${second.json().data.next_cursor}`);
    expect(third.json().data).toEqual({
      items: [
        {
          domain: 'g.example',
          breaker_state: 'closed',
          tokens_left: 1,
          next_grant_at: null,
          throttled: false,
          visits_under_way: 1,
          queued_tasks: 0,
          next_visit_at: '2026-01-05T12:00:30.000Z',
          waiting_for: 'proxy',
        },
      ],
      next_cursor: null,
    });
    expect(names(await door.get(`${DOMAINS}?state=open`))).toEqual(['a.example', 'c.example', 'e.example']);
    expect(names(await door.get(`${DOMAINS}?state=half_open`))).toEqual([]);
  });

  it('shows a domain that answered 429 as throttled', async () => {
    const plan = await parts.begin('https://a.example/');
    parts.end(plan!, new GleanerError('rate_limited', 'x', { retryAfterMs: 5_000 }));
    const [item] = (await door.get(DOMAINS)).json().data.items;
    expect(item).toMatchObject({ throttled: true, visits_under_way: 0 });
    expect(item.next_grant_at).toMatch(/^2026-01-05T12:00:/);
  });

  it.each(['limit=0', 'limit=101', 'state=broken', 'cursor=nonsense', 'cursor=', 'order=asc'])(
    'refuses ?%s and names the field',
    async (query) => {
      const response = await door.get(`${DOMAINS}?${query}`);
      expect(response.statusCode).toBe(422);
      expect(response.json().meta.fields).toMatchObject([{ field: query.split('=')[0] }]);
    },
  );
});

describe('with a real website, a real clock and a real connection', () => {
  it('what robots.txt said is shown with its evidence', async () => {
    const site = await startSite({ robots: 'User-agent: *\nDisallow: /\nCrawl-delay: 3\n' });
    const fetcher = openHttpFetcher({
      connectTimeoutMs: 2_000,
      headersTimeoutMs: 5_000,
      bodyTimeoutMs: 5_000,
      maxRedirects: 5,
    });
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const real = domainParts({ clock: systemClock, log, fetchText: fetcher.fetchText });
    const open = await openDoor({ domains: real.domains });
    try {
      await verdictOf(real.robots, site.url('/'));
      const port = await listening(open.app);
      const answer = await fetch(`http://127.0.0.1:${port}${DOMAINS}/127.0.0.1`, {
        headers: { 'x-service-key': 'the-next-key' },
      });
      const text = await answer.text();
      lookAt('answer', text, 'the report of a domain');
      const { data } = JSON.parse(text) as { data: { robots: { fetched_at: string; fresh_until: string }[] } };
      expect(faults(DomainReportWire, data)).toEqual([]);
      expect(data.robots).toEqual([
        {
          robots_url: `${site.origin}/robots.txt`,
          basis: 'rules',
          http_status: 200,
          fetched_at: expect.stringMatching(/Z$/),
          fresh_until: expect.stringMatching(/Z$/),
          crawl_delay_seconds: 3,
          root_allowed: false,
          rule: 'Disallow: /',
        },
      ]);
      const [file] = data.robots;
      const freshHours = (Date.parse(file!.fresh_until) - Date.parse(file!.fetched_at)) / 3_600_000;
      expect(freshHours).toBeCloseTo(24, 1);
    } finally {
      await open.app.close();
      await fetcher.close();
      await site.close();
    }
  });
});
