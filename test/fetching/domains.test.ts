import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BreakerState } from '../../src/domain/breaker.js';
import { GleanerError } from '../../src/domain/errors.js';
import type { DomainPolicy } from '../../src/domain/policy.js';
import type { FetchText } from '../../src/fetching/http-fetch.js';
import { domainParts } from '../support/domain-parts.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { verdictOf } from '../support/robots.js';
import { VirtualClock } from '../support/virtual-clock.js';

const START = Date.UTC(2026, 0, 5, 12, 0, 0);
const broken = new GleanerError('target_server_error', 'The target answered 503.');

function setUp(entries: Record<string, Partial<DomainPolicy>> = {}, robotsText: Record<string, string> = {}) {
  const clock = new VirtualClock();
  const telemetry = new QuietTelemetry();
  const parts = domainParts({
    clock,
    log: telemetry.log,
    entries,
    proxies: [{ id: '1:p.example', url: 'http://user:canary-hush@p.example:8080', region: null }],
    fetchText: async ({ url }) => {
      const text = robotsText[new URL(url).origin];
      return { status: text === undefined ? 404 : 200, text: text ?? '', finalUrl: url, retryAfterMs: undefined };
    },
  });
  const names = async (filter: { state?: BreakerState } = {}, page = { limit: 100, cursor: null as string | null }) =>
    (await parts.domains.list(filter, page)).items.map(({ domain }) => domain);
  return { clock, telemetry, names, ...parts };
}

describe('the report of a domain', () => {
  it('of one that was never visited has its policy, a closed breaker and all its tokens, and leaves no trace', async () => {
    const { domains, names } = setUp({ 'a.example': { tokensPerInterval: 7 } });
    const report = await domains.report('www.a.example');
    expect(report).toMatchObject({
      domain: 'a.example',
      breaker: { state: 'closed', failures: 0, reason: null, openedAt: null, nextProbeAt: null, isProbing: false },
      limits: [{ key: 'a.example', tokens: 7, tokensLeft: 7, nextGrantAt: null, underWay: 0, slowdown: 1 }],
      robots: [],
      policy: { tokensPerInterval: 7 },
      policyEntry: 'a.example',
      proxyCooldowns: [],
      lastReset: null,
    });
    expect(await names()).toEqual([]);
  });

  it('shows tokens, visits under way, the wait for the next grant and the cooldown of the proxy', async () => {
    const { clock, domains, begin } = setUp({ 'a.example': { tokensPerInterval: 1 } });
    await begin('https://a.example/');
    await clock.advance(4_000);
    const { limits, proxyCooldowns } = await domains.report('a.example');
    expect(limits).toEqual([
      {
        key: 'a.example',
        tokens: 1,
        tokensLeft: 0,
        intervalMs: 10_000,
        underWay: 1,
        nextGrantAt: START + 10_000,
        slowdown: 1,
        slowUntil: null,
      },
    ]);
    expect(proxyCooldowns).toEqual([{ id: '1:p.example', until: START + 30_000 }]);
  });

  it('shows how each kind of page is brought, as far as is known, and asking does not change it', async () => {
    const { clock, domains, experience } = setUp();
    const learn = (targetType: string, kind: 'helped' | 'brought_no_more') =>
      experience.learn({ domain: 'a.example', targetType }, { kind, appearance: 'plain' }, clock.mono());
    for (let page = 0; page < 3; page += 1) learn('job_posting', 'helped');
    for (let page = 0; page < 3; page += 1) learn('company_website', 'brought_no_more');
    const expected = [
      { targetType: 'job_posting', habit: 'straight_to_browser' },
      { targetType: 'company_website', habit: 'kept_on_http' },
    ];
    for (let asked = 0; asked < 30; asked += 1) {
      expect((await domains.report('www.a.example')).render).toEqual(expected);
    }
    expect((await domains.report('b.example')).render).toEqual([]);
    expect(experience.size).toBe(2);
  });

  it('shows that a domain is visited more slowly after a 429, and until when', async () => {
    const { domains, begin, end } = setUp();
    const plan = await begin('https://a.example/');
    end(plan!, new GleanerError('rate_limited', 'x', { retryAfterMs: 60_000 }));
    const [limit] = (await domains.report('a.example')).limits;
    expect(limit).toMatchObject({ slowdown: 2, slowUntil: START + 300_000, nextGrantAt: START + 60_000, underWay: 0 });
    expect((await domains.list({}, { limit: 1, cursor: null })).items).toMatchObject([
      { domain: 'a.example', state: 'closed', limit: { slowdown: 2, nextGrantAt: START + 60_000 } },
    ]);
  });

  it('shows the tokens of hosts with a rate of their own: those that are known, and the one asked for', async () => {
    const { domains, begin } = setUp({
      'api.a.example': { tokensPerInterval: 1 },
      'old.a.example': { tokensPerInterval: 3, robotsReason: null },
      'cdn.a.example': { minDelayMs: 1 },
    });
    const keys = async (host: string) => (await domains.report(host)).limits.map(({ key }) => key);
    await begin('https://api.a.example/');
    await begin('https://other-a.example/');
    expect(await keys('a.example')).toEqual(['a.example', 'api.a.example']);
    expect(await keys('old.a.example')).toEqual(['a.example', 'api.a.example', 'old.a.example']);
    expect(await keys('cdn.a.example')).toEqual(['a.example', 'api.a.example']);
    expect(await keys('other-a.example')).toEqual(['other-a.example']);
    expect((await domains.report('old.a.example')).policy.tokensPerInterval).toBe(3);
    expect((await domains.report('cdn.a.example')).policyEntry).toBe('cdn.a.example');
    expect((await domains.report('b.example')).policyEntry).toBeNull();
  });

  it('shows what robots.txt of each origin says, and that a Crawl-delay makes the next grant later', async () => {
    const { clock, domains, robots, begin } = setUp(
      {},
      {
        'https://a.example': 'User-agent: *\nCrawl-delay: 7',
        'https://shop.a.example:8443': 'User-agent: *\nDisallow: /',
        'https://other-a.example': 'User-agent: *\nCrawl-delay: 60',
      },
    );
    for (const origin of ['https://a.example', 'https://shop.a.example:8443', 'https://other-a.example']) {
      await verdictOf(robots, `${origin}/`, clock);
    }
    await begin('https://a.example/');
    const report = await domains.report('a.example');
    expect(report.robots).toHaveLength(2);
    expect(report.robots).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ origin: 'https://a.example', basis: 'rules', httpStatus: 200, crawlDelaySeconds: 7 }),
        expect.objectContaining({
          origin: 'https://shop.a.example:8443',
          rootAllowed: false,
          rule: 'Disallow: /',
          fetchedAt: START,
          freshUntil: START + 24 * 3_600_000,
        }),
      ]),
    );
    expect(report.limits[0]).toMatchObject({ tokensLeft: 0, nextGrantAt: START + 7_000 });
    const { items } = await domains.list({}, { limit: 10, cursor: null });
    expect(items).toMatchObject([{ domain: 'a.example', limit: { nextGrantAt: START + 7_000 } }]);
  });

  it('shows why and when the breaker opened, and when a visit may try again', async () => {
    const { clock, domains, fail, breaker } = setUp();
    fail('https://www.a.example/', broken);
    await clock.advance(20_000);
    const { breaker: shown } = await domains.report('a.example');
    expect(shown).toEqual({
      state: 'open',
      failures: 0,
      windowSize: 10,
      reason: { code: 'target_server_error', sentence: 'The target answered 503.' },
      openedAt: START,
      nextProbeAt: START + 120_000,
      isProbing: false,
    });
    expect(breaker.report('a.example').nextProbeMs).toBe(100_000);
  });

  it('takes an address for its own domain, IPv6 too', async () => {
    const { domains, begin } = setUp();
    await begin('http://[2001:db8::1]:8080/');
    await begin('http://192.0.2.7/');
    expect((await domains.report('2001:db8::1')).limits).toMatchObject([{ key: '2001:db8::1', underWay: 1 }]);
    expect((await domains.report('192.0.2.7')).limits).toMatchObject([{ key: '192.0.2.7', underWay: 1 }]);
  });
});

describe('a reset', () => {
  it('closes the breaker, says what it was, is remembered, and leaves exactly one line for the audit', async () => {
    const { clock, domains, fail, begin, telemetry } = setUp();
    fail('https://a.example/', broken);
    expect(await begin('https://a.example/')).toBeNull();
    await clock.advance(1_000);
    const { before, report } = await domains.reset('www.a.example', { requestId: 'r-1', address: '192.0.2.1' });
    expect(before).toBe('open');
    expect(report.breaker).toMatchObject({ state: 'closed', failures: 0, reason: null, nextProbeAt: null });
    expect(report.lastReset).toEqual({ at: START + 1_000, requestId: 'r-1' });
    expect(await begin('https://a.example/')).not.toBeNull();
    expect(telemetry.lines.filter(({ fields }) => 'audit' in fields)).toEqual([
      {
        level: 'warn',
        message: 'a circuit breaker was reset',
        fields: {
          audit: true,
          action: 'breaker_reset',
          domain: 'a.example',
          state_before: 'open',
          request_id: 'r-1',
          client_address: '192.0.2.1',
        },
      },
    ]);
    expect((await domains.report('b.example')).lastReset).toBeNull();
  });
});

describe('the next visit of a domain', () => {
  it('waits for whatever lasts longest: hours, breaker, tokens, proxies', async () => {
    const night = { 'night.example': { allowedHours: { start: 22, end: 6 } } };
    const clock = new VirtualClock(START);
    const { domains, fail, begin } = domainParts({ clock, log: new QuietTelemetry().log, entries: night });
    const next = async (host: string) => (await domains.report(host)).nextVisit;
    expect(await next('a.example')).toEqual({ at: null, waitingFor: null });
    for (let n = 0; n < 2; n += 1) await begin('https://a.example/');
    expect(await next('a.example')).toEqual({ at: START + 10_000, waitingFor: 'rate_limit' });
    fail('https://a.example/', broken);
    expect(await next('www.a.example')).toEqual({ at: START + 120_000, waitingFor: 'breaker' });
    fail('https://night.example/', broken);
    const evening = Date.UTC(2026, 0, 5, 22, 0, 0);
    expect(await next('night.example')).toEqual({ at: evening, waitingFor: 'hours' });
    await clock.advance(120_000);
    expect(await next('a.example')).toEqual({ at: null, waitingFor: null });
    const { items } = await domains.list({}, { limit: 10, cursor: null });
    expect(items.find(({ domain }) => domain === 'night.example')?.nextVisit.waitingFor).toBe('hours');
  });

  it('waits for a proxy where every one was used for the domain', async () => {
    const parts = domainParts({
      clock: new VirtualClock(START),
      log: new QuietTelemetry().log,
      proxies: [{ id: '1:p', url: 'http://p.example:8080', region: null }],
    });
    await parts.begin('https://a.example/');
    const { nextVisit } = await parts.domains.report('a.example');
    expect(nextVisit).toEqual({ at: START + 30_000, waitingFor: 'proxy' });
  });
});

describe('tasks that wait', () => {
  it('are counted by domain, and make it one of the list', async () => {
    const { domains, names, lanes } = setUp();
    lanes.push(
      { lane: 'a.example', waiting: 2 },
      { lane: 'api.a.example', waiting: 1 },
      { lane: 'b.example', waiting: 0 },
    );
    expect(await names()).toEqual(['a.example']);
    expect((await domains.report('a.example')).queuedTasks).toBe(3);
    expect((await domains.report('aa.example')).queuedTasks).toBe(0);
  });
});

describe('robots.txt after a reset', () => {
  it('is asked for again where it could not be read, and only there', async () => {
    let status = 503;
    const text = 'User-agent: *\nDisallow: /x\n';
    const fetchText: FetchText = async ({ url }) => ({ status, text, finalUrl: url, retryAfterMs: undefined });
    const clock = new VirtualClock(START);
    const { domains, robots } = domainParts({ clock, log: new QuietTelemetry().log, fetchText });
    const [broken, fine] = [new URL('https://a.example/'), new URL('https://www.a.example/')];
    const read = async (url: URL): Promise<void> => {
      while (!robots.known(url)) {
        await robots.attempt(url);
        await clock.advance(1_000);
      }
    };
    await read(broken);
    status = 200;
    await read(fine);
    expect(robots.known(broken)?.basis).toBe('unreachable');
    await domains.reset('a.example', { requestId: 'r', address: 'x' });
    expect(robots.known(broken)).toBeNull();
    expect(robots.known(fine)?.basis).toBe('rules');
  });
});

describe('the list of domains', () => {
  it('has those something is remembered about, by name, and can be asked for one state of the breaker', async () => {
    const { clock, names, fail, begin, domains } = setUp({ 'api.c.example': { tokensPerInterval: 1 } });
    fail('https://b.example/', broken);
    await clock.advance(120_000);
    fail('https://d.example/', broken);
    fail('https://a.example/', broken, 1);
    await begin('https://api.c.example/');
    expect(await names()).toEqual(['a.example', 'b.example', 'c.example', 'd.example']);
    expect(await names({ state: 'open' })).toEqual(['d.example']);
    expect(await names({ state: 'half_open' })).toEqual(['b.example']);
    expect(await names({ state: 'closed' })).toEqual(['a.example', 'c.example']);
    expect((await domains.list({}, { limit: 4, cursor: null })).nextCursor).toBeNull();
  });

  it('pages through everything once and in order, whatever comes meanwhile', async () => {
    const name = fc.stringMatching(/^[a-z]{1,4}$/).map((label) => `${label}.example`);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { maxLength: 40 }),
        fc.uniqueArray(name, { maxLength: 20 }),
        fc.integer({ min: 1, max: 7 }),
        async (first, later, limit) => {
          const { domains, fail } = setUp();
          for (const one of first) fail(`https://${one}/`, broken, 1);
          const coming = [...later];
          const seen: string[] = [];
          let cursor: string | null = null;
          do {
            const page: Awaited<ReturnType<typeof domains.list>> = await domains.list({}, { limit, cursor });
            seen.push(...page.items.map(({ domain }) => domain));
            expect(page.items.length).toBeLessThanOrEqual(limit);
            cursor = page.nextCursor;
            const next = coming.pop();
            if (next) fail(`https://${next}/`, broken, 1);
          } while (cursor !== null && seen.length < 100);
          expect(seen).toEqual([...new Set(seen)].sort());
          expect(seen).toEqual(expect.arrayContaining(first));
        },
      ),
    );
  });

  it.each(['nonsense', '', 'MTIz', 'bnVsbA'])('refuses the cursor %j, which it never gave', async (cursor) => {
    const { domains } = setUp();
    await expect(domains.list({}, { limit: 1, cursor })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: [{ field: 'cursor', value: cursor }],
    });
  });
});
