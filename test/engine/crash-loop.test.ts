import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminal } from '../../src/domain/task.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import { aPage, openEngine } from '../support/engine-harness.js';
import { mortal } from '../support/mortal-store.js';
import { openTempStore, type TempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** How a page is brought. `deadly` ones take the process with them: over plain HTTP, or when a browser shows them. */
const PAGES = ['plain', 'shown', 'deadly', 'deadly_when_shown'] as const;
type Page = (typeof PAGES)[number];

interface Plan {
  pages: Page[];
  maxAttempts: number;
  /** When somebody kills the process from outside, in ms after its start. */
  kills: number[];
}

const isDeadly = (url: string): boolean => url.includes('deadly');

describe('a service that dies again and again', () => {
  const plans = (most: { kills: number }): fc.Arbitrary<Plan> =>
    fc.record({
      pages: fc.array(fc.constantFrom<Page>('plain', 'plain', 'plain', 'shown', ...PAGES), {
        minLength: 1,
        maxLength: 14,
      }),
      maxAttempts: fc.integer({ min: 1, max: 10 }),
      kills: fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: most.kills }),
    });

  it('comes to rest after four crashes for each deadly task, which fail, while all others are done', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(plans({ kills: 0 }), async (plan) => {
        const { crashes, tasks } = await run(plan);
        const deadly = tasks.filter(({ url }) => isDeadly(url));
        for (const { url, code, status } of tasks) {
          expect([url, status, code]).toEqual(isDeadly(url) ? [url, 'failed', 'poison'] : [url, 'completed', null]);
          // One in company at most, one as the one suspect, and two alone.
          expect(crashes.filter((one) => one.by === url).length).toBeLessThanOrEqual(4);
        }
        expect(crashes.length).toBeGreaterThanOrEqual(3 * deadly.length);
      }),
      { numRuns: 60 },
    );
  });

  it('loses nobody to kills from outside, but for whom the last two of three found alone at work', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(plans({ kills: 10 }), async (plan) => {
        const { crashes, tasks } = await run(plan);
        for (const { url, status } of tasks.filter((task) => !isDeadly(task.url))) {
          const there = crashes.filter(({ atWork }) => atWork.includes(url));
          const mayBeLost = there.length >= 3 && there.slice(-2).every(({ atWork }) => atWork.length === 1);
          if (!mayBeLost) expect([url, status]).toEqual([url, 'completed']);
        }
        for (const { url, code } of tasks.filter((task) => isDeadly(task.url)))
          expect([url, code]).toEqual([url, 'poison']);
        const deadly = tasks.filter(({ url }) => isDeadly(url)).length;
        expect(crashes.length).toBeLessThanOrEqual(4 * deadly + plan.kills.length);
      }),
      { numRuns: 60 },
    );
  });

  it('fails a deadly task that is alone at its third crash', async () => {
    const { crashes, tasks } = await run({ pages: ['deadly'], maxAttempts: 10, kills: [] });
    expect(crashes).toHaveLength(3);
    expect(tasks).toMatchObject([{ status: 'failed', code: 'poison' }]);
  });
});

interface Crash {
  /** The page, or `null`: it came from outside. */
  by: string | null;
  /** Whose pages were being fetched. */
  atWork: string[];
}

interface Ran {
  crashes: Crash[];
  tasks: { url: string; status: string; code: string | null }[];
}

async function run(plan: Plan): Promise<Ran> {
  const opened = await openTempStore();
  const clock = new VirtualClock();
  const crashes: Crash[] = [];
  const kills = [...plan.kills];
  let life = await live(opened, clock, { plan, crashes });
  const targets = plan.pages.map((page, n) =>
    aSpec({ render: 'auto', targetUrl: `https://d${n % 4}.com/${page}/${n}` }),
  );
  const { taskIds } = await life.engine.submitBatch({ targets, callbackUrl: null }, CALLER);
  const open = async (): Promise<boolean> =>
    (await Promise.all(taskIds.map((id) => opened.store.task(id)))).some((task) => !task || !isTerminal(task.status));
  let killAt = kills.shift();
  let bornAt = clock.mono();
  // One too many is enough to know.
  const most = 4 * plan.pages.filter((page) => isDeadly(page)).length + plan.kills.length;
  for (let turn = 0; turn < 3_000 && crashes.length <= most && (await open()); turn++) {
    await clock.advance(100, { turns: 6 });
    if (!life.isOver() && killAt !== undefined && clock.mono() - bornAt >= killAt) {
      // What has been begun is written: store and test then mean the same by being at work.
      await clock.advance(0);
      if (!life.isOver()) life.kill(null);
      killAt = kills.shift();
    }
    if (!life.isOver()) continue;
    life = await live(opened, clock, { plan, crashes });
    bornAt = clock.mono();
  }
  const tasks = await Promise.all(taskIds.map((id) => life.engine.task(id)));
  const stopping = life.engine.stop(0);
  await clock.advance(0);
  await stopping;
  await opened.end();
  return { crashes, tasks: tasks.map(({ targetUrl: url, status, code }) => ({ url, status, code })) };
}

interface Living {
  engine: Engine;
  isOver(): boolean;
  kill(by: string | null): void;
}

/** One process on the data there is. */
async function live(
  opened: TempStore,
  clock: VirtualClock,
  { plan, crashes }: { plan: Plan; crashes: Crash[] },
): Promise<Living> {
  const { die, ...mortals } = mortal(opened);
  const atWork = new Set<string>();
  const never = new Promise<never>(() => {});
  let isOver = false;
  const kill = (by: string | null): void => {
    isOver = true;
    die();
    crashes.push({ by, atWork: [...atWork] });
  };
  const fetch =
    (how: 'http' | 'browser'): Fetcher['fetch'] =>
    async (request) => {
      if (isOver) return never;
      const { url } = request;
      atWork.add(url);
      await clock.wait(50 + (url.length % 7) * 60);
      if (isOver) return never;
      const needsBrowser = url.includes('shown') && how === 'http';
      if (isDeadly(url) && !needsBrowser) {
        kill(url);
        return never;
      }
      atWork.delete(url);
      return aPage(request, needsBrowser ? 'shell' : 'Engineer', how);
    };
  const { engine } = openEngine({
    ...mortals,
    clock,
    http: fetch('http'),
    browser: fetch('browser'),
    parts: { maxAttempts: plan.maxAttempts },
    queue: { httpConcurrency: 4, browserConcurrency: 2 },
  });
  await engine.start();
  return { engine, isOver: () => isOver, kill };
}
