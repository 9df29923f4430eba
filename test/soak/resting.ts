import { readdirSync } from 'node:fs';
import { type Finding, finding } from './accounts.js';
import { familyOf, isBrowser, isRenderer, isZombie, socketsOf } from './processes.js';
import type { Life, Place } from './service-run.js';

/** What a service holds, by name. At rest it holds the same after a million tasks as before the first. */
export type Counters = Readonly<Record<string, number>>;

/** Some come and go by themselves, such as connections that are kept for a few seconds. */
const ALLOWED: readonly [RegExp, number][] = [[/sockets|timers/, 4]];

/** Everything that is more than it was, beyond what comes and goes. */
export function leaksBetween(before: Counters, after: Counters): Finding[] {
  return Object.entries(after).flatMap(([name, count]) => {
    const known = before[name] ?? 0;
    const allowed = ALLOWED.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
    return count > known + allowed ? [finding('left', `${name}: ${count} at rest, ${known} before the load`)] : [];
  });
}

/** As the system sees it, and as the service itself says. Every number under `resources` is compared like the others. */
export function counters({ pid }: Life, { tempDir }: Place, health: Health): Counters {
  const family = familyOf(pid);
  const pool = health.browser_pool;
  return {
    browsers: family.filter(isBrowser).length,
    renderers: family.filter(isRenderer).length,
    zombies: family.filter(isZombie).length,
    'stopped processes': family.filter(({ state }) => state === 'T').length,
    'temp directories': readdirSync(tempDir).length,
    sockets: socketsOf(pid),
    'slots in use': pool.in_use,
    'contexts open': pool.contexts_open,
    'contexts ready': pool.contexts_ready,
    'tasks in the queue': health.queue.queue_depth,
    'tasks at work': health.queue.active_workers,
    'webhooks under way': health.webhooks.under_way,
    ...numbersIn(health.resources, 'resources'),
  };
}

/** Nothing is under way, nothing is kept ready, and connections that nobody uses have been closed. */
export const isQuiet = (now: Counters): boolean =>
  BUSY.every((name) => (now[name] ?? 0) === 0) && (now.sockets ?? 0) <= QUIET_SOCKETS;

const BUSY = [
  ...['slots in use', 'contexts open', 'contexts ready', 'tasks in the queue', 'tasks at work', 'zombies'],
  // Who hangs is asked again long after the load, and every asking has its end.
  'webhooks under way',
];
/** The door, the way out, who asks, and the pipes to one browser. */
const QUIET_SOCKETS = 12;

export interface Health {
  browser_pool: {
    in_use: number;
    contexts_open: number;
    contexts_ready: number;
    launching: number;
    browsers: number;
    total: number;
  };
  queue: { queue_depth: number; active_workers: number };
  webhooks: { under_way: number };
  resources: unknown;
}

export const healthOf = async (life: Life): Promise<Health> => (await life.get('/health')).body.data;

/** All numbers of a document, named by the way to them. */
export function numbersIn(value: unknown, name: string): Record<string, number> {
  if (typeof value === 'number') return { [name]: value };
  if (typeof value !== 'object' || value === null) return {};
  return Object.assign({}, ...Object.entries(value).map(([key, inner]) => numbersIn(inner, `${name}.${key}`)));
}
