import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalLimiter } from '../../src/backends/embedded/local-limiter.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createPolicyBook, DEFAULT_POLICY } from '../../src/domain/policy.js';
import { parseEgressAllow } from '../../src/domain/target-url.js';
import { createEgress } from '../../src/fetching/egress.js';
import { createBrowserGuard } from '../../src/fetching/guards/browser-guard.js';
import { createEgressGuard } from '../../src/fetching/guards/egress-guard.js';
import { createHoursGuard } from '../../src/fetching/guards/hours-guard.js';
import { createIdentityGuard } from '../../src/fetching/guards/identity-guard.js';
import { createGuards } from '../../src/fetching/guards/index.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createIdentities } from '../../src/fetching/identity.js';
import { createProxies } from '../../src/fetching/proxies.js';
import { createRobots, type Robots } from '../../src/fetching/robots.js';
import type { VisitPlan } from '../../src/ports/guard.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { memoryNotes } from '../support/memory-notes.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { verdictOf } from '../support/robots.js';
import { type Site, startSite } from '../support/site.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

const signal = new AbortController().signal;
const allow = ['127.0.0.0/8'];

let site: Site;
let fetcher: HttpFetcher;
let robots: Robots;

beforeAll(async () => {
  site = await startSite({ robots: 'User-agent: gleaner\nDisallow: /forbidden\nCrawl-delay: 3\n' });
  fetcher = openHttpFetcher({ allow });
  robots = createRobots({ fetchText: fetcher.fetchText, clock: systemClock, agent: 'gleaner' });
});

afterAll(async () => {
  await fetcher.close();
  await site.close();
});

const policies = createPolicyBook(
  DEFAULT_POLICY,
  new Map([
    ['127.0.0.2', { respectRobotsTxt: false, robotsReason: 'our own site' }],
    ['127.0.0.3', { respectRobotsTxt: false }],
    ['picky.example', { browserEngine: 'chromium' }],
    ['night.example', { allowedHours: { start: 22, end: 6 } }],
  ]),
);

describe('the guards', () => {
  it('are asked in reading order, and fill in the plan', async () => {
    const guards = createGuards({
      circuitNotes: memoryNotes(),
      clock: systemClock,
      log: new QuietTelemetry().log,
      policies,
      limiter: createLocalLimiter({ clock: systemClock }),
      egress: createEgress({ allow }),
      allow: parseEgressAllow(allow),
      robots,
      browsers: { canServe: () => true, lack: () => null },
      breaker: { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 },
      credentials: null,
      proxies: createProxies([], {
        clock: systemClock,
        cooldownMs: 0,
        checkIntervalMs: 60_000,
        probe: async () => {},
        log: new QuietTelemetry().log,
      }),
      identities: createIdentities({ chromiumVersion: () => '156.0.7000.1', random: Math.random }),
    });
    expect(guards.list.map(({ name }) => name)).toEqual([
      'egress',
      'robots',
      'hours',
      'browser',
      'breaker',
      'credentials',
      'rate_limit',
      'proxy',
      'identity',
    ]);
    const plan = visitPlan(site.url('/job/1'));
    // Known already: reading it is part of another test, and takes a token of its own.
    await verdictOf(robots, plan.url);
    for (const guard of guards.list) expect(await guard.check(plan, signal)).toMatchObject({ kind: 'go' });
    expect(plan.robots).toMatchObject({ allowed: true, basis: 'rules', crawlDelaySeconds: 3 });
    expect(plan.proxy).toBe(null);
    expect(plan.identity?.userAgent).toContain('Chrome/156.0.0.0');
    for (const guard of guards.list) guard.after?.(plan, { error: null });
    expect(guards.breaker.counts()).toEqual({ closed: 1, open: 0, half_open: 0 });
    expect(await guards.rateLimit.stats()).toEqual({ domains: 1, throttled: 0 });
  });
});

describe('the egress guard', () => {
  it('refuses by the text of the URL and by what the name resolves to', async () => {
    const egress = createEgress({ allow, lookup: async () => [{ address: '10.0.0.1', family: 4 }] });
    const guard = createEgressGuard({ egress, allow: parseEgressAllow(allow) });
    expect(await guard.check(visitPlan('http://127.0.0.1/'), signal)).toEqual({ kind: 'go' });
    for (const url of ['http://10.0.0.1/', 'http://intranet.example/', 'http://user:hush@pub.example/']) {
      expect(await guard.check(visitPlan(url), signal)).toMatchObject({ kind: 'no', error: { code: 'egress_denied' } });
    }
  });

  it('does not outlive the visit', async () => {
    const egress = createEgress({ allow, lookup: () => new Promise(() => {}) });
    const guard = createEgressGuard({ egress, allow: parseEgressAllow(allow) });
    const verdict = await guard.check(visitPlan('http://slow.example/'), AbortSignal.timeout(50));
    expect(verdict.kind).toBe('no');
  });
});

describe('the hours guard', () => {
  it('lets a task wait for the window, also past midnight, and does not mind the clock being set', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 5, 12, 30));
    const guard = createHoursGuard({ policies, clock });
    const plan = visitPlan('https://night.example/');
    // Far from the window it only looks again: the wall clock may be set right meanwhile.
    expect(guard.check(plan, signal)).toMatchObject({ kind: 'wait', until: 15 * 60_000 });
    await clock.advance(9.5 * 3_600_000 - 60_000);
    expect(guard.check(plan, signal)).toMatchObject({ kind: 'wait', until: 9.5 * 3_600_000 });
    await clock.advance(60_000);
    expect(guard.check(plan, signal)).toEqual({ kind: 'go' });
    clock.jumpWall(9 * 3_600_000);
    expect(guard.check(plan, signal)).toMatchObject({ kind: 'wait', until: clock.mono() + 15 * 60_000 });
    expect(guard.check(visitPlan('https://any.example/'), signal)).toEqual({ kind: 'go' });
  });
});

describe('the browser guard', () => {
  const lacking = new GleanerError('browser_unavailable', 'not installed');
  const check = (url: string, needs: 'http' | 'browser', supply: { serves: boolean; lacks: boolean }) => {
    const browsers = { canServe: () => supply.serves, lack: () => (supply.lacks ? lacking : null) };
    const plan = visitPlan(url, { needs });
    const verdict = createBrowserGuard({ browsers, policies, clock: new VirtualClock() }).check(plan, signal);
    return { verdict, engine: plan.engine };
  };

  it('says which engine the policy demands, also before plain HTTP', () => {
    const supply = { serves: true, lacks: false };
    expect(check('https://www.picky.example/', 'browser', supply)).toEqual({
      verdict: { kind: 'go' },
      engine: 'chromium',
    });
    expect(check('https://www.picky.example/', 'http', supply).engine).toBe('chromium');
    expect(check('https://any.example/', 'browser', supply).engine).toBeNull();
  });

  it('lets a task wait for a browser, and ends it where no waiting will help', () => {
    const url = 'https://any.example/';
    expect(check(url, 'browser', { serves: false, lacks: false }).verdict).toMatchObject({
      kind: 'wait',
      holds: 'task',
    });
    expect(check(url, 'browser', { serves: true, lacks: true }).verdict).toEqual({ kind: 'no', error: lacking });
    expect(check(url, 'http', { serves: false, lacks: true }).verdict).toEqual({ kind: 'go' });
  });
});

describe('the identity guard', () => {
  it('goes as the browser that the policy demands, also before plain HTTP', async () => {
    const chromiumVersion = (engine: string | null) => (engine === 'chromium' ? '157.0.1.2' : '156.0.3.4');
    const guard = createIdentityGuard({ identities: createIdentities({ chromiumVersion, random: Math.random }) });
    const agentFor = async (plan: VisitPlan) => {
      await guard.check(plan, signal);
      return plan.identity?.userAgent;
    };
    expect(await agentFor(visitPlan('https://picky.example/', { engine: 'chromium' }))).toContain('Chrome/157.');
    expect(await agentFor(visitPlan('https://any.example/'))).toContain('Chrome/156.');
  });
});
