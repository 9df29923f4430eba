import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Resources } from '../../src/fetching/resources.js';
import { SETTINGS } from '../../src/settings-table.js';

/** What `/health` says of what is held, and of what it may be held for. */
export interface Holdings {
  resources: Resources;
  queue: { queue_depth: number; active_workers: number; lanes: number };
  /** Runs that it has the locks of. */
  retrievals: { held: number };
  browser_pool: Pool;
  screenshot_pool: Pool;
  /** Where a policy demands another engine. */
  policy_engine?: { browser_pool: Pool; screenshot_pool: Pool };
  proxies: unknown[];
  webhooks: { pending?: number; under_way: number; receivers_in_trouble: number };
}

interface Pool {
  /** Slots: at rest the size of the pool, and for a minute those that were needed beyond it. */
  total: number;
  in_use: number;
  browsers: number;
  launching: number;
}

export interface Whose {
  isOwnProcess: boolean;
  /** Tasks may wait, for a time or for what will never come. */
  mayWait?: boolean;
}

/**
 * What a service that is done holds beyond its resting state, in words. At rest:
 * - nothing that waits or is under way;
 * - no slot in use, and no more browsers than the slots of their pool need;
 * - no contexts of visits, and one page kept ready in each browser at most;
 * - a temporary directory for each browser;
 * - one socket: the one by which it is asked. Connections that are kept for the next visit do not count, they end by
 *   themselves;
 * - the timers of `restingTimers`.
 */
export function beyondRest(holdings: Holdings, { isOwnProcess, mayWait = false }: Whose): string[] {
  const { browsers, contexts, pages, temp_directories: directories, sockets } = holdings.resources;
  return [
    ...(mayWait ? [] : waitingOf(holdings)),
    ...underWayOf(holdings),
    ...poolsBeyondRest(holdings),
    ...(contexts > 0 ? [`${contexts} contexts`] : []),
    ...(pages > browsers ? [`${pages} pages in ${browsers} browsers`] : []),
    ...(directories < browsers ? [`${browsers} browsers in ${directories} directories`] : []),
    ...timersBeyondRest(holdings, mayWait),
    // In one process with a test there are also the directories of other services, and the sockets of the test.
    ...(isOwnProcess && directories > browsers + launching(holdings)
      ? [`${directories} directories for ${browsers} browsers`]
      : []),
    ...(isOwnProcess && sockets > 1 ? [`${sockets} sockets`] : []),
  ];
}

const waitingOf = ({ queue }: Holdings): string[] =>
  queue.queue_depth > 0 ? [`${queue.queue_depth} tasks that wait`] : [];

const underWayOf = ({ queue, webhooks }: Holdings): string[] => [
  ...(queue.active_workers > 0 ? [`${queue.active_workers} active workers`] : []),
  ...(webhooks.under_way > 0 ? [`${webhooks.under_way} webhooks under way`] : []),
];

/** There may be fewer browsers: one is being replaced, or none can be launched. */
function poolsBeyondRest(holdings: Holdings): string[] {
  const pools = poolsOf(holdings);
  const alone = holdings.resources.browsers - pools.reduce((sum, { browsers }) => sum + browsers, 0);
  return [
    ...pools.flatMap(({ in_use, total, browsers }) => [
      ...(in_use > 0 ? [`${in_use} slots in use`] : []),
      ...(browsers > Math.ceil(total / SETTINGS.contextsPerBrowser.fallback)
        ? [`${browsers} browsers for ${total} slots`]
        : []),
    ]),
    // Each is kept ready for a minute after a visit, of which there are no more at once than of others.
    ...(alone > holdings.browser_pool.total * enginesOf(holdings) ? [`${alone} browsers for visits alone`] : []),
  ];
}

function timersBeyondRest(holdings: Holdings, mayWait: boolean): string[] {
  const allowed = restingTimers(holdings, mayWait);
  return Object.entries(holdings.resources.timers_of).flatMap(([part, count]) =>
    count > (allowed[part] ?? 0) ? [`${count} timers of ${part}`] : [],
  );
}

/** Timers by whose they are. Parts that are not named have none at rest. */
function restingTimers(holdings: Holdings, mayWait: boolean): Record<string, number> {
  const { resources, queue, retrievals, proxies, webhooks } = holdings;
  const engines = enginesOf(holdings);
  const isWaitingToTell = (webhooks.pending ?? 0) + webhooks.receivers_in_trouble > 0;
  return {
    // The next retention, and the next webhook where one is to be sent again.
    engine: 1 + (isWaitingToTell ? 1 : 0),
    // The time until the next of the domains that rest may be visited again, or the next of the tasks that wait.
    queue: queue.lanes > 0 || (mayWait && queue.queue_depth > 0) ? 1 : 0,
    // The next look at the machine.
    machine: 1,
    // The next looks at the memory and the pulse of each pool, the end of each page kept ready, and the next try where
    // none comes up.
    browsers:
      2 * POOLS_OF_AN_ENGINE * engines +
      (resources.pages - resources.contexts) +
      (resources.browsers === 0 ? engines : 0),
    // The next round of checks.
    proxies: Math.min(1, proxies.length),
    // Each that is remembered has a time at which it is forgotten.
    credentials: Number.POSITIVE_INFINITY,
    // Each run that is going on has an owner who gives a sign of life now and then.
    runs: retrievals.held,
  };
}

/** For pages, for pictures, for one visit alone. */
const POOLS_OF_AN_ENGINE = 3;

const enginesOf = ({ policy_engine }: Holdings): number => (policy_engine ? 2 : 1);

/** For pages and for pictures; those for visits alone are told of by nobody. */
const poolsOf = ({ browser_pool, screenshot_pool, policy_engine }: Holdings): Pool[] => [
  browser_pool,
  screenshot_pool,
  ...(policy_engine ? [policy_engine.browser_pool, policy_engine.screenshot_pool] : []),
];

const launching = (holdings: Holdings): number => poolsOf(holdings).reduce((sum, pool) => sum + pool.launching, 0);

/** What is still done, and what is kept for a moment (a page being made ready, an idle connection), gets time to go. */
const PATIENCE_MS = 20_000;

export async function untilNothing(look: () => Promise<string[]>): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS;
  for (let left = await look(); left.length > 0; left = await look()) {
    if (performance.now() > giveUp) throw new Error(`The service holds on to ${left.join(', ')}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * The end of every journey but those that say that they leave work behind: the service comes to its end with all it had
 * to do, and then it holds nothing.
 */
export async function expectRest(ask: () => Promise<Holdings>, whose: Whose): Promise<void> {
  await untilNothing(async () => beyondRest(await ask(), whose));
}

/** What a service that has stopped still holds, in a process that goes on. */
export function leftBehind({ timers_of, sockets, ...held }: Resources, socketsBefore: number): string[] {
  const counts = { ...held, sockets: sockets - socketsBefore };
  return [
    ...Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : [])),
    ...Object.entries(timers_of).map(([part, count]) => `${count} timers of ${part}`),
  ];
}

/** Directories of browsers that a process left, which has ended. */
export const directoriesOf = (pid: number | undefined): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`gleaner-browser-${pid}-`));
