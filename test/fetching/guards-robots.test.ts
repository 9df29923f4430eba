import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY, type DomainPolicy, rateFor } from '../../src/domain/policy.js';
import { createBreakerGuard } from '../../src/fetching/guards/breaker-guard.js';
import { createHoursGuard } from '../../src/fetching/guards/hours-guard.js';
import { createProxyGuard } from '../../src/fetching/guards/proxy-guard.js';
import { createRobotsGuard } from '../../src/fetching/guards/robots-guard.js';
import { createRobotsReading } from '../../src/fetching/guards/robots-reading.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createProxies } from '../../src/fetching/proxies.js';
import { createRobots } from '../../src/fetching/robots.js';
import type { Clock } from '../../src/ports/clock.js';
import type { ProxyChoice } from '../../src/ports/fetcher.js';
import type { Verdict } from '../../src/ports/guard.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { memoryNotes } from '../support/memory-notes.js';
import { startHttpProxy } from '../support/proxy-servers.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { type Site, startSite } from '../support/site.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const signal = new AbortController().signal;
const BREAKER = { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 };

let site: Site;
let fetcher: HttpFetcher;

beforeEach(async () => {
  site = await startSite({ robots: 'User-agent: gleaner\nDisallow: /forbidden\nCrawl-delay: 3\n' });
  fetcher = openHttpFetcher();
});

afterEach(async () => {
  await fetcher.close();
  await site.close();
});

interface Given {
  clock?: Clock;
  base?: Partial<DomainPolicy>;
  entries?: [string, Partial<DomainPolicy>][];
  proxies?: ProxyChoice[];
}

function setUp({ clock = systemClock, base = {}, entries = [], proxies: choices = [] }: Given = {}) {
  const policies = createPolicyBook({ ...DEFAULT_POLICY, ...base }, new Map(entries));
  const robots = createRobots({ fetchText: fetcher.fetchText, clock, agent: 'gleaner' });
  const limiter = createLocalLimiter({ clock });
  const { log } = new QuietTelemetry();
  const probe = async () => {};
  const proxies = createProxies(choices, { clock, cooldownMs: 30_000, checkIntervalMs: 60_000, probe, log });
  const breaker = createBreakerGuard({ notes: memoryNotes(), settings: BREAKER, clock, log });
  const hours = createHoursGuard({ policies, clock });
  const read = createRobotsReading({
    robots,
    limiter,
    policies,
    proxies,
    clock,
    beforehand: [hours, breaker],
    told: [breaker, createProxyGuard({ proxies, clock })],
  });
  const guard = createRobotsGuard({ robots, policies, read });
  const check = async (url: string): Promise<Verdict> => guard.check(visitPlan(url), signal);
  const tokens = async (host = '127.0.0.1') =>
    (await limiter.state(host, rateFor(policies.forHost(host), null))).tokensLeft;
  return { robots, guard, check, tokens, proxies, breaker, limiter };
}

const asked = (): number => site.requests.filter(({ path }) => path === '/robots.txt').length;

/** As the queue does: again when the wait is over. */
async function untilDecided(check: () => Promise<Verdict>): Promise<Verdict> {
  for (;;) {
    const verdict = await check();
    if (verdict.kind !== 'wait') return verdict;
    await systemClock.wait(Math.max(0, verdict.until - systemClock.mono()));
  }
}

describe('the robots guard', () => {
  it('refuses what robots.txt forbids, and says which line did', async () => {
    const { guard } = setUp();
    const plan = visitPlan(site.url('/forbidden/x'));
    const verdict = await guard.check(plan, signal);
    expect(verdict).toMatchObject({ kind: 'no', error: { code: 'robots_denied' } });
    expect(verdict.kind === 'no' && verdict.error.message).toContain('Disallow: /forbidden');
    expect(plan.robots).toMatchObject({ allowed: false, basis: 'rules' });
  });

  it('looks at where a form is posted, not at what is in it', async () => {
    site.robots = 'User-agent: gleaner\nDisallow: /search$\nDisallow: /find?\n';
    const { guard } = setUp();
    const posted = (path: string) =>
      untilDecided(async () => guard.check(visitPlan(site.url(path), { form: ['case'] }), signal));
    expect(await posted('/search?case=IMM-1-25')).toMatchObject({ kind: 'no', error: { code: 'robots_denied' } });
    expect(await posted('/find?case=IMM-1-25')).toEqual({ kind: 'go' });
    expect(await posted('/find?lang=en&case=IMM-1-25')).toMatchObject({ kind: 'no', error: { code: 'robots_denied' } });
  });

  it('asks nobody where the policy switches it off with a reason, and only then', async () => {
    const off = { respectRobotsTxt: false };
    const { guard, check } = setUp({
      entries: [
        ['127.0.0.2', { ...off, robotsReason: 'our own site' }],
        ['127.0.0.3', off],
      ],
    });
    const plan = visitPlan(site.url('/forbidden/x', '127.0.0.2'));
    expect(await guard.check(plan, signal)).toEqual({ kind: 'go' });
    expect(plan.robots).toMatchObject({ allowed: true, basis: 'policy_off' });
    expect(asked()).toBe(0);
    expect(await check(site.url('/forbidden/x', '127.0.0.3'))).toMatchObject({ kind: 'no' });
  });

  it('refuses after three attempts where robots.txt cannot be read, each for a token', async () => {
    site.robots = { status: 503 };
    const { check, tokens } = setUp({ base: { tokensPerInterval: 10 } });
    const verdict = await untilDecided(() => check(site.url('/x')));
    expect(verdict).toMatchObject({ kind: 'no', error: { code: 'robots_unreachable' } });
    expect(asked()).toBe(3);
    expect(await tokens()).toBe(7);
  });

  it('lets the domain wait where a worker would have to', async () => {
    const { check } = setUp();
    const verdict = await check(site.url('/x').replace(/:\d+/, ':1'));
    expect(verdict).toMatchObject({ kind: 'wait', reason: 'robots.txt is being read' });
  });

  it('reads for a token of the domain, once for everybody who asks', async () => {
    const { check, tokens } = setUp({ base: { tokensPerInterval: 5 } });
    const verdicts = await Promise.all(Array.from({ length: 20 }, (_, n) => check(site.url(`/${n}`))));
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['go']));
    expect(asked()).toBe(1);
    expect(await tokens()).toBe(4);
  });

  it('waits for the token where there is none', async () => {
    const clock = new VirtualClock();
    const { check } = setUp({ clock, base: { tokensPerInterval: 1 } });
    expect(await check(site.url('/x'))).toEqual({ kind: 'go' });
    // The same address on another port: another origin of the same domain.
    const other = await startSite();
    expect(await check(other.url('/x'))).toMatchObject({ kind: 'wait', until: 10_000 });
    expect(other.requests).toEqual([]);
    await clock.advance(10_000);
    expect(await check(other.url('/x'))).toEqual({ kind: 'go' });
    await other.close();
  });

  it('gives its place back before the page needs it', async () => {
    const { check, tokens } = setUp({ base: { tokensPerInterval: 5, maxConcurrent: 1 } });
    expect(await check(site.url('/x'))).toEqual({ kind: 'go' });
    expect(await tokens()).toBe(4);
  });

  it('slows down where robots.txt itself answers 429', async () => {
    const clock = new VirtualClock();
    site.robots = { status: 429, headers: { 'retry-after': '7' } };
    const { check } = setUp({ clock, base: { tokensPerInterval: 100 } });
    expect(await check(site.url('/x'))).toMatchObject({ kind: 'no', error: { code: 'robots_unreachable' } });
    const other = await startSite();
    expect(await check(other.url('/x'))).toMatchObject({ kind: 'wait', until: 7_000 });
    await other.close();
  });

  it('does not read outside the hours of the domain', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 5, 12, 0, 0));
    const { check } = setUp({ clock, base: { allowedHours: { start: 22, end: 6 } } });
    expect(await check(site.url('/x'))).toMatchObject({ kind: 'wait', reason: 'outside the allowed hours' });
    expect(asked()).toBe(0);
  });

  it('counts for the breaker, and does not read while the circuit is open', async () => {
    const { check, breaker } = setUp({ base: { tokensPerInterval: 100 } });
    site.robots = { status: 500 };
    await untilDecided(() => check(site.url('/x')));
    expect(breaker.report('127.0.0.1').failures).toBe(3);
    const other = await startSite({ robots: { status: 500 } });
    await untilDecided(() => check(other.url('/x')));
    expect(breaker.report('127.0.0.1').state).toBe('open');
    const third = await startSite();
    expect(await check(third.url('/x'))).toMatchObject({ kind: 'no', error: { code: 'circuit_open' } });
    expect(third.requests).toEqual([]);
    await Promise.all([other.close(), third.close()]);
  });

  it('is the one probe of a domain that is to be tried out, and what it brings decides', async () => {
    const clock = new VirtualClock();
    const { check, breaker } = setUp({ clock, base: { tokensPerInterval: 100 } });
    const failing = { error: new GleanerError('target_server_error', 'x') };
    for (let n = 0; n < 6; n += 1) breaker.after!(visitPlan('http://127.0.0.1/'), failing);
    await clock.advance(120_000);
    const sites = await Promise.all(Array.from({ length: 5 }, () => startSite({ robots: { status: 503 } })));
    const verdicts = await Promise.all(sites.map((one) => check(one.url('/x'))));
    expect(sites.flatMap(({ requests }) => requests)).toHaveLength(1);
    expect(verdicts.every(({ kind }) => kind === 'wait')).toBe(true);
    expect(breaker.report('127.0.0.1')).toMatchObject({ state: 'open', nextProbeMs: 120_000 });

    await clock.advance(120_000);
    for (const one of sites) one.robots = 'User-agent: *\nAllow: /\n';
    expect(await check(sites[0]!.url('/x'))).toEqual({ kind: 'go' });
    expect(breaker.report('127.0.0.1').state).toBe('closed');
    await Promise.all(sites.map((one) => one.close()));
  });

  it('gives the place of the probe back where there is no token for it', async () => {
    const clock = new VirtualClock();
    const { check, breaker, limiter } = setUp({ clock, base: { tokensPerInterval: 1, intervalSeconds: 600 } });
    const failing = { error: new GleanerError('target_server_error', 'x') };
    for (let n = 0; n < 6; n += 1) breaker.after!(visitPlan('http://127.0.0.1/'), failing);
    await limiter.acquire(
      '127.0.0.1',
      rateFor({ ...DEFAULT_POLICY, tokensPerInterval: 1, intervalSeconds: 600 }, null),
    );
    await clock.advance(120_000);
    expect(await check(site.url('/x'))).toMatchObject({ kind: 'wait', until: 600_000 });
    expect(breaker.report('127.0.0.1')).toMatchObject({ state: 'half_open', isProbing: false });
  });

  it('says when to ask again where robots.txt cannot be read', async () => {
    const clock = new VirtualClock();
    site.robots = { status: 403 };
    const { check } = setUp({ clock });
    await check(site.url('/x'));
    await clock.advance(100_000);
    const error = { code: 'robots_unreachable', retryAfterMs: 200_000 };
    expect(await check(site.url('/x'))).toMatchObject({ kind: 'no', error });
  });

  it('goes through a proxy where there are proxies, and lays its failures at its door', async () => {
    const proxy = await startHttpProxy();
    const working = { id: '1:fine', url: `http://127.0.0.1:${proxy.port}`, region: null };
    const fine = setUp({ proxies: [working] });
    expect(await untilDecided(() => fine.check(site.url('/x')))).toEqual({ kind: 'go' });
    expect(proxy.targets).toEqual([`127.0.0.1:${site.port}`]);
    expect(fine.proxies.stats()).toMatchObject([{ id: '1:fine', successes: 1, failures: 0 }]);

    const before = asked();
    const dead = setUp({ proxies: [{ id: '1:dead', url: 'http://127.0.0.1:1', region: null }] });
    const refused = await untilDecided(() => dead.check(site.url('/x')));
    expect(refused).toMatchObject({ kind: 'no', error: { code: 'proxy_failed' } });
    expect(dead.proxies.stats()).toMatchObject([{ id: '1:dead', healthy: false, failures: 1 }]);
    expect(await dead.check(site.url('/x'))).toMatchObject({ kind: 'no', error: { code: 'no_healthy_proxies' } });
    expect(dead.breaker.report('127.0.0.1').failures).toBe(0);
    expect(asked()).toBe(before);
    await proxy.close();
  });
});

describe('robots.txt that is at another site', () => {
  const leadingTo = (to: string): { status: number; headers: Record<string, string> } => ({
    status: 302,
    headers: { location: to },
  });

  it('is read there for a token of that site', async () => {
    const other = await startSite({ robots: 'User-agent: *\nDisallow: /x\n' });
    site.robots = leadingTo(other.url('/robots.txt', '127.0.0.2'));
    const { check, tokens } = setUp({ base: { tokensPerInterval: 5 } });
    expect(await check(site.url('/x'))).toMatchObject({ kind: 'no', error: { code: 'robots_denied' } });
    expect(await tokens('127.0.0.1')).toBe(4);
    expect(await tokens('127.0.0.2')).toBe(4);
    await other.close();
  });

  it('is not asked for where that site has no token left, is out of hours, or is left alone', async () => {
    const victim = await startSite();
    const clock = new VirtualClock(Date.UTC(2026, 0, 5, 12, 0, 0));
    const { check, breaker, limiter } = setUp({
      clock,
      base: { tokensPerInterval: 5 },
      entries: [['127.0.0.3', { allowedHours: { start: 22, end: 6 } }]],
    });
    const rate = rateFor({ ...DEFAULT_POLICY, tokensPerInterval: 5 }, null);
    for (let n = 0; n < 5; n += 1) await limiter.acquire('127.0.0.2', rate);
    const failing = { error: new GleanerError('target_server_error', 'x') };
    for (let n = 0; n < 6; n += 1) breaker.after!(visitPlan('http://127.0.0.4/'), failing);
    for (const host of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
      const leading = await startSite({ robots: leadingTo(victim.url('/robots.txt', host)) });
      expect(await check(leading.url('/x'))).toMatchObject({ kind: 'wait' });
      expect(leading.requests).toHaveLength(1);
      await leading.close();
    }
    expect(victim.requests).toEqual([]);
    await victim.close();
  });
});

describe('a hop', () => {
  it('is followed at once only within what the visit has passed already', async () => {
    const { guard, check } = setUp({
      entries: [
        ['127.0.0.4', { respectRobotsTxt: false, robotsReason: 'our own site' }],
        ['shop.example.com', { tokensPerInterval: 1 }],
        ['night.example.com', { allowedHours: { start: 1, end: 2 } }],
      ],
    });
    const plan = visitPlan(site.url('/a'));
    expect(await guard.check(plan, signal)).toEqual({ kind: 'go' });
    const hop = (href: string) => plan.mayFollow!(new URL(href));
    expect(hop(site.url('/b'))).toBe('follow');
    expect(hop(site.url('/forbidden/b'))).toMatchObject({ code: 'robots_denied' });
    expect(plan.robots).toMatchObject({ allowed: false, rule: 'Disallow: /forbidden' });
    // Another domain, and another origin whose robots.txt nobody has read.
    expect(hop(site.url('/b', '127.0.0.2'))).toBe('leave');
    expect(hop('https://127.0.0.1/b')).toBe('leave');

    const trusted = visitPlan(site.url('/a', '127.0.0.4'));
    expect(await guard.check(trusted, signal)).toEqual({ kind: 'go' });
    expect(trusted.mayFollow!(new URL('https://127.0.0.4:9/forbidden'))).toBe('follow');

    // Hosts of one domain, two of them with manners of their own.
    expect(await check(site.url('/warm-up'))).toEqual({ kind: 'go' });
    const shop = visitPlan('https://www.example.com/');
    shop.mayFollow = null;
    await guard.check(shop, AbortSignal.abort());
    expect(shop.mayFollow!(new URL('https://shop.example.com/'))).toBe('leave');
    expect(shop.mayFollow!(new URL('https://night.example.com/'))).toBe('leave');
  });

  it('is followed twice for one token; then the visit takes another', async () => {
    const { guard } = setUp();
    const plan = visitPlan(site.url('/a'));
    await guard.check(plan, signal);
    const hop = () => plan.mayFollow!(new URL(site.url('/b')));
    expect([hop(), hop(), hop(), hop()]).toEqual(['follow', 'follow', 'leave', 'leave']);
  });
});
