import { createPolicyBook, DEFAULT_POLICY, type DomainPolicy, type PolicyBook } from '../../src/domain/policy.js';
import type { Seeded } from './seeded.js';

/** How one fetch ends. */
export type Fate =
  | 'ok'
  | 'shell'
  | 'captcha'
  | 'empty'
  | 'server_error'
  | 'refused'
  | 'not_found'
  | 'throttled'
  | 'throttled_until'
  | 'hang'
  | 'slow'
  | 'redirect'
  | 'crash';

/** How a receiver answers one webhook. */
export type Answer = 'ok' | 'error' | 'busy' | 'gone' | 'hang' | 'refused' | 'crash';

type Mood<Name extends string> = Readonly<Partial<Record<Name, number>>>;

const SITE_MOODS: readonly Mood<Fate>[] = [
  { ok: 90, slow: 5, not_found: 5 },
  { ok: 40, server_error: 30, refused: 10, hang: 5, slow: 10, crash: 1 },
  { server_error: 60, hang: 10, ok: 30 },
  { ok: 50, throttled: 20, throttled_until: 20, server_error: 10 },
  { shell: 70, ok: 20, captcha: 5, empty: 5 },
  { ok: 60, redirect: 30, hang: 2, crash: 2, not_found: 6 },
  {
    ok: 10,
    shell: 10,
    captcha: 10,
    empty: 10,
    server_error: 10,
    throttled: 10,
    hang: 5,
    slow: 10,
    redirect: 10,
    crash: 2,
  },
];

const RECEIVER_MOODS: readonly Mood<Answer>[] = [
  { ok: 100 },
  { ok: 100 },
  { ok: 60, error: 20, busy: 10, refused: 5, hang: 5, crash: 1 },
  { ok: 40, error: 30, hang: 10, gone: 5, busy: 10, crash: 2 },
  { error: 50, hang: 25, refused: 25 },
];

export interface Site {
  domain: string;
  mood: Mood<Fate>;
}

export interface SimReceiver {
  url: string;
  mood: Mood<Answer>;
  /** Monotonic ms: from then on it is well, so that most runs do not wait a virtual day. */
  healsAt: number;
}

/** Everything a seed decides beforehand: who is out there, and how the service is set up. */
export interface World {
  sites: Site[];
  receivers: SimReceiver[];
  policies: PolicyBook;
  slots: { http: number; browser: number };
  maxDepth: number;
  maxKeys: number;
  maxAttempts: number;
  breaker: { windowSize: number; failureThreshold: number; cooldownMs: number };
  resultTtlMs: number;
  defaultReceiver: string | null;
  /** Shares of commits that fail or take the process with them. */
  commitFaults: { fault: number; dies_before: number; dies_after: number };
  maxKills: number;
  planWindow: number;
}

const DAY_MS = 24 * 3_600_000;

export function createWorld(seeded: Seeded): World {
  const sites = Array.from({ length: seeded.int(1, 6) }, (_, n) => ({
    domain: `site${n}.com`,
    mood: seeded.pick(SITE_MOODS),
  }));
  const receivers = Array.from({ length: seeded.int(1, 3) }, (_, n) => ({
    url: `https://hooks${n}.example.com/path`,
    mood: seeded.pick(RECEIVER_MOODS),
    healsAt: seeded.chance(0.05) ? Number.POSITIVE_INFINITY : seeded.int(30, 900) * 1_000,
  }));
  const entries = new Map(sites.map(({ domain }) => [domain, policyOf(seeded)]));
  const isCalm = seeded.chance(0.3);
  const share = (most: number): number => (isCalm ? 0 : seeded.next() * most);
  return {
    sites,
    receivers,
    policies: createPolicyBook({ ...DEFAULT_POLICY, tokensPerInterval: 5 }, entries),
    slots: { http: seeded.int(1, 5), browser: seeded.int(1, 2) },
    maxDepth: seeded.pick([20, 60, 200]),
    maxKeys: seeded.pick([2, 100, 100]),
    maxAttempts: seeded.int(1, 3),
    breaker: { windowSize: 10, failureThreshold: seeded.int(2, 5), cooldownMs: seeded.pick([10_000, 60_000, 120_000]) },
    resultTtlMs: seeded.chance(0.15) ? 20 * 60_000 : 10 * DAY_MS,
    defaultReceiver: seeded.chance(0.3) ? receivers[0]!.url : null,
    commitFaults: { fault: share(0.03), dies_before: share(0.01), dies_after: share(0.01) },
    maxKills: seeded.int(0, 6),
    planWindow: seeded.int(1, 8),
  };
}

const NOON = { start: 11, end: 13 };
const EVENING = { start: 18, end: 2 };

function policyOf(seeded: Seeded): Partial<DomainPolicy> {
  return {
    tokensPerInterval: seeded.int(1, 6),
    intervalSeconds: seeded.pick([1, 2, 5, 10]),
    minIntervalMs: seeded.pick([0, 0, 0, 300, 1_500]),
    maxConcurrent: seeded.pick([null, null, 1, 2]),
    // Runs begin at noon: open now, or only in the evening. Few, since it takes many steps to get there.
    allowedHours: seeded.chance(0.03) ? seeded.pick([NOON, EVENING]) : null,
  };
}
