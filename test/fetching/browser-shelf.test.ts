import { describe, expect, it } from 'vitest';
import type { Berth } from '../../src/fetching/browser-berth.js';
import type { Context } from '../../src/fetching/browser-context.js';
import { createFleet, type Fleet } from '../../src/fetching/browser-fleet.js';
import type { Seat } from '../../src/fetching/browser-member.js';
import type { BlankPage, OpenBlank } from '../../src/fetching/browser-page.js';
import { createBrowserPool } from '../../src/fetching/browser-pool.js';
import { createShelf, type Shelf } from '../../src/fetching/browser-shelf.js';
import { paperBrowser } from '../support/paper-browser.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** Pages with nothing behind them, that can die; contexts that are closed when they are told to. */
function paper() {
  const deaths: (() => void)[] = [];
  const closings: (() => void)[] = [];
  const open: OpenBlank = async (newContext) => {
    await newContext({});
    const failed = new Promise<never>((_, reject) => deaths.push(() => reject(new Error('dead'))));
    failed.catch(() => undefined);
    return { watch: { failed }, frameId: String(deaths.length) } as BlankPage;
  };
  const newContext = async (): Promise<Context> =>
    ({ close: () => new Promise<void>((resolve) => closings.push(resolve)) }) as Context;
  return { deaths, closings, open, newContext };
}

describe('pages made ready ahead', () => {
  const setUp = () => {
    const clock = new VirtualClock();
    const away: Berth[] = [];
    const made = paper();
    const shelf: Shelf = createShelf({ newContext: made.newContext, putAway: (berth) => away.push(berth), clock });
    return { clock, away, shelf, ...made };
  };

  it('are few, and each is given out once', async () => {
    const { shelf, open, away } = setUp();
    for (let n = 0; n < 5; n++) shelf.stock(open);
    expect(shelf.size()).toBe(1);
    expect((await shelf.take()!.page).frameId).toBe('1');
    expect(shelf.take()).toBeNull();
    expect(away).toEqual([]);
  });

  it('are put away when nobody comes for them', async () => {
    const { shelf, open, away, clock } = setUp();
    shelf.stock(open);
    await clock.advance(29_000);
    expect(shelf.size()).toBe(1);
    await clock.advance(1_000);
    expect([shelf.size(), away.length]).toEqual([0, 1]);
  });

  it('are not given out when they have died, nor put away once somebody has them', async () => {
    const { shelf, open, away, clock, deaths } = setUp();
    shelf.stock(open);
    await clock.advance(0);
    deaths[0]!();
    await clock.advance(0);
    expect([shelf.take(), away.length]).toEqual([null, 1]);
    shelf.stock(open);
    shelf.take();
    await clock.advance(60_000);
    expect(away.length).toBe(1);
  });

  it('that do not come to be are put away', async () => {
    const { shelf, away, clock } = setUp();
    shelf.stock(() => new Promise(() => undefined));
    await clock.advance(10_000);
    expect([shelf.size(), away.length]).toEqual([0, 1]);
    shelf.stock(() => Promise.reject(new Error('no page')));
    await clock.advance(0);
    expect([shelf.size(), away.length]).toEqual([0, 2]);
  });

  it('are all put away in the end, and no more are made', () => {
    const { shelf, open, away } = setUp();
    shelf.stock(open);
    shelf.clear();
    shelf.stock(open);
    expect([shelf.size(), away.length]).toEqual([0, 1]);
  });
});

describe('a browser whose contexts take their time to close', () => {
  const setUp = async () => {
    const clock = new VirtualClock();
    const made = paper();
    const retired: string[] = [];
    const fleet: Fleet = createFleet({
      contextsPerBrowser: 1,
      pageLimit: 100,
      maxAgeMs: 3_600_000,
      closeTimeoutMs: 5_000,
      hungAfterMs: 5_000,
      clock,
      log: new QuietTelemetry().log,
      onRetire: (reason) => retired.push(reason),
      launch: async () => paperBrowser({ newContext: made.newContext }),
    });
    fleet.resize(1);
    await clock.advance(0);
    const visit = async (): Promise<void> => {
      const seat = await fleet.sit(new AbortController().signal);
      await seat.openPage(made.open);
      void seat.leave();
      await clock.advance(0);
    };
    return { clock, fleet, visit, retired, ...made };
  };

  it('serves the next visit meanwhile, but not without end', async () => {
    const { clock, fleet, visit, closings } = await setUp();
    for (let n = 0; n < 3; n++) await visit();
    expect(fleet.stats()).toMatchObject({ room: 0, contextsOpen: 3, contextsReady: 1, pagesProcessed: 3 });
    let seat: Seat | null = null;
    void fleet.sit(new AbortController().signal).then((taken) => {
      seat = taken;
    });
    await clock.advance(0);
    expect(seat).toBeNull();
    closings[0]!();
    await clock.advance(0);
    expect(seat).not.toBeNull();
    expect(fleet.stats()).toMatchObject({ contextsOpen: 2 });
    await fleet.shutdown();
    expect(fleet.stats()).toMatchObject({ contextsOpen: 0, contextsReady: 0 });
  });

  it('is lost when they do not close in time', async () => {
    const { clock, fleet, visit, retired } = await setUp();
    await visit();
    const seat = await fleet.sit(new AbortController().signal);
    await clock.advance(5_000);
    expect(retired).toEqual(['hung']);
    expect(seat.lost.reason).toMatchObject({ code: 'browser_crashed' });
    await fleet.shutdown();
  });

  it('leaks no slot in a thousand closings, of which every tenth never ends', async () => {
    const clock = new VirtualClock();
    const { open } = paper();
    const [retired, closings]: [string[], { count: number }] = [[], { count: 0 }];
    const close = (): Promise<void> =>
      (closings.count += 1) % 10 === 0 ? new Promise(() => undefined) : Promise.resolve();
    const pool = createBrowserPool({
      size: 4,
      max: 4,
      contextsPerBrowser: 2,
      pageLimit: 100,
      maxAgeMs: 3_600_000,
      acquireTimeoutMs: 60_000,
      closeTimeoutMs: 5_000,
      hungAfterMs: 5_000,
      clock,
      log: new QuietTelemetry().log,
      onRetire: (reason) => retired.push(reason),
      launch: async () => paperBrowser({ newContext: async () => ({ close }) as Context }),
    });
    void pool.start();
    while (closings.count < 1_000) {
      const coming = Promise.all([1, 2, 3, 4].map(() => pool.acquire()));
      await clock.advance(1_000);
      const slots = await coming;
      await Promise.all(slots.map((slot) => slot.openPage(open)));
      const released = slots.map(pool.release);
      await clock.advance(5_000);
      await Promise.all(released);
      expect(pool.stats()).toMatchObject({ total: 4, in_use: 0, contexts_open: 0 });
    }
    await clock.advance(1_000);
    expect(pool.stats()).toMatchObject({ total: 4, available: 4, browsers: 2 });
    expect(retired.filter((reason) => reason === 'hung').length).toBeGreaterThanOrEqual(50);
    await pool.shutdown();
  });
});
