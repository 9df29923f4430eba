import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Resources } from '../../src/fetching/resources.js';

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
  launching: number;
}

/** Nothing waits and nothing is under way: from here on the service comes to rest. */
export const hasNothingToDo = ({ queue, webhooks }: Holdings): boolean =>
  queue.queue_depth + queue.active_workers + webhooks.under_way === 0;

/**
 * What a service without work holds beyond its resting state, in words. At rest:
 * - no contexts of visits, and one page kept ready in each browser at most;
 * - a temporary directory for each browser;
 * - one socket: the one by which it is asked. Connections that are kept for the next visit do not count, they end by
 *   themselves;
 * - the timers of `restingTimers`.
 */
export function beyondRest(holdings: Holdings, { isOwnProcess }: { isOwnProcess: boolean }): string[] {
  const { browsers, contexts, pages, temp_directories: directories, sockets } = holdings.resources;
  return [
    ...(contexts > 0 ? [`${contexts} contexts`] : []),
    ...(pages > browsers ? [`${pages} pages in ${browsers} browsers`] : []),
    ...(directories < browsers ? [`${browsers} browsers in ${directories} directories`] : []),
    ...timersBeyondRest(holdings),
    // In one process with a test there are also the directories of other services, and the sockets of the test.
    ...(isOwnProcess && directories > browsers + launching(holdings)
      ? [`${directories} directories for ${browsers} browsers`]
      : []),
    ...(isOwnProcess && sockets > 1 ? [`${sockets} sockets`] : []),
  ];
}

function timersBeyondRest(holdings: Holdings): string[] {
  const allowed = restingTimers(holdings);
  return Object.entries(holdings.resources.timers_of).flatMap(([part, count]) =>
    count > (allowed[part] ?? 0) ? [`${count} timers of ${part}`] : [],
  );
}

/** Timers by whose they are. Parts that are not named have none at rest. */
function restingTimers(holdings: Holdings): Record<string, number> {
  const { resources, queue, retrievals, proxies, webhooks } = holdings;
  const engines = holdings.policy_engine ? 2 : 1;
  const isWaitingToTell = (webhooks.pending ?? 0) + webhooks.receivers_in_trouble > 0;
  return {
    // The next retention, and the next webhook where one is to be sent again.
    engine: 1 + (isWaitingToTell ? 1 : 0),
    // The time until the next of the domains that rest may be visited again.
    queue: queue.lanes > 0 ? 1 : 0,
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

const launching = ({ browser_pool, screenshot_pool, policy_engine }: Holdings): number =>
  [browser_pool, screenshot_pool, policy_engine?.browser_pool, policy_engine?.screenshot_pool].reduce(
    (sum, pool) => sum + (pool?.launching ?? 0),
    0,
  );

/** What is kept for a moment (a page being made ready, an idle connection) gets time to go. */
const PATIENCE_MS = 20_000;

export async function untilNothing(look: () => Promise<string[]>): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS;
  for (let left = await look(); left.length > 0; left = await look()) {
    if (performance.now() > giveUp) throw new Error(`The service holds on to ${left.join(', ')}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The end of every journey: a service that has nothing to do holds nothing, and where it has, it is let off. */
export async function expectRest(ask: () => Promise<Holdings>, whose: { isOwnProcess: boolean }): Promise<void> {
  if (!hasNothingToDo(await ask())) return;
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
