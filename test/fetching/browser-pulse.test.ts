import { describe, expect, it } from 'vitest';
import { createFleet, type Fleet } from '../../src/fetching/browser-fleet.js';
import type { Seat } from '../../src/fetching/browser-member.js';
import { paperBrowser } from '../support/paper-browser.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';

const no = (_pid: number): boolean => false;

/** Time goes on beside the timers: those that were due ring late, and only once. */
class StallingClock extends VirtualClock {
  private lostMs = 0;

  override mono(): number {
    return super.mono() + this.lostMs;
  }

  standStill(ms: number): void {
    this.lostMs += ms;
  }
}

/** A fleet of browsers that answer unless they are told to hang. */
async function setUp({ seats = 1, launchMs = 0, isMute = no, isMissing = no } = {}) {
  const clock = new StallingClock();
  const retired: string[] = [];
  const killed: number[] = [];
  const hanging = new Map<number, (() => void)[]>();
  const asked = new Map<number, number>();
  const launches: number[] = [];
  const fleet: Fleet = createFleet({
    contextsPerBrowser: 2,
    pageLimit: 100,
    maxAgeMs: 3_600_000,
    closeTimeoutMs: 5_000,
    hungAfterMs: 5_000,
    clock,
    log: new QuietTelemetry().log,
    onRetire: (reason) => retired.push(reason),
    async launch() {
      const pid = launches.push(clock.mono());
      if (isMissing(pid)) throw new Error('There is no Chromium.');
      if (isMute(pid)) hanging.set(pid, []);
      await clock.wait(launchMs);
      const answers = (): Promise<void> =>
        new Promise((resolve) => {
          asked.set(pid, (asked.get(pid) ?? 0) + 1);
          const owed = hanging.get(pid);
          if (owed) owed.push(resolve);
          else resolve();
        });
      return paperBrowser({ pid, answers, kill: async () => void killed.push(pid) });
    },
  });
  fleet.resize(seats);
  await clock.advance(launchMs);
  return {
    clock,
    fleet,
    retired,
    killed,
    launches,
    launched: () => launches.length,
    asked: (pid: number) => asked.get(pid),
    sit: (): Promise<Seat> => fleet.sit(new AbortController().signal),
    hang: (pid: number): void => void hanging.set(pid, []),
    wake(pid: number): void {
      for (const answer of hanging.get(pid) ?? []) answer();
      hanging.delete(pid);
    },
  };
}

describe('a browser that stands still', () => {
  it('gets no new visits and has a stand-in within two seconds, and is lost when the time for closing is over', async () => {
    const { clock, fleet, retired, killed, sit, hang } = await setUp();
    const seat = await sit();
    hang(1);
    await clock.advance(2_500);
    expect(seat.lost.aborted).toBe(false);
    expect((await sit()).browser.pid).toBe(2);
    expect(retired).toEqual([]);

    await clock.advance(3_500);
    expect(seat.lost.reason).toMatchObject({ code: 'browser_crashed' });
    expect([retired, killed]).toEqual([['hung'], [1]]);
    expect(fleet.stats()).toMatchObject({ browsers: 1, recycled: 1 });
    await fleet.shutdown();
  });

  it('is lost also where nobody sits on it, so that whoever comes next finds one that serves', async () => {
    const { clock, fleet, killed, sit, hang } = await setUp();
    hang(1);
    await clock.advance(6_000);
    expect(killed).toEqual([1]);
    expect((await sit()).browser.pid).toBe(2);
    await fleet.shutdown();
  });

  it('takes its place again where it was only slow: its visits go on, and the stand-in goes', async () => {
    const { clock, fleet, retired, killed, launched, sit, hang, wake } = await setUp();
    const seat = await sit();
    hang(1);
    await clock.advance(2_500);
    expect(fleet.stats().browsers).toBe(2);
    wake(1);
    await clock.advance(10_000);
    expect([seat.lost.aborted, killed, retired]).toEqual([false, [], ['idle']]);
    expect(fleet.stats()).toMatchObject({ browsers: 1, recycled: 0 });
    expect((await sit()).browser.pid).toBe(1);
    expect(launched()).toBe(2);
    await fleet.shutdown();
  });

  it('takes its place again also where its stand-in is still being launched: that one goes as soon as it is there', async () => {
    const { clock, fleet, retired, killed, launched, sit, hang, wake } = await setUp({ launchMs: 1_500 });
    hang(1);
    await clock.advance(2_500);
    expect(fleet.stats()).toMatchObject({ browsers: 1, launching: 1 });
    wake(1);
    await clock.advance(10_000);
    expect([killed, retired, launched()]).toEqual([[], ['idle'], 2]);
    expect(fleet.stats()).toMatchObject({ browsers: 1, launching: 0, recycled: 0 });
    expect((await sit()).browser.pid).toBe(1);
    await fleet.shutdown();
  });

  it('serves who waited for it as soon as it answers', async () => {
    const { clock, fleet, sit, hang, wake } = await setUp({ seats: 2 });
    hang(1);
    await clock.advance(2_500);
    await Promise.all([sit(), sit()]);
    const waiting = sit();
    wake(1);
    await clock.advance(0);
    expect((await waiting).browser.pid).toBe(1);
    await fleet.shutdown();
  });

  it('is waited for also where no stand-in can be launched', async () => {
    const { clock, fleet, sit, hang, wake } = await setUp({ isMissing: (pid) => pid > 1 });
    hang(1);
    await clock.advance(2_500);
    expect([fleet.canServe(), fleet.isFailing()]).toEqual([false, false]);
    const waiting = sit();
    await clock.advance(1_000);
    wake(1);
    await clock.advance(0);
    expect((await waiting).browser.pid).toBe(1);
    await fleet.shutdown();
  });
});

describe('a browser whose answer waits because we stand still ourselves', () => {
  it('is not held to hang, however often and long that is, within a few looks', async () => {
    const { clock, fleet, retired, killed, sit, hang, wake } = await setUp();
    const seat = await sit();
    hang(1);
    await clock.advance(500);
    for (let times = 0; times < 6; times++) {
      clock.standStill(3_000);
      await clock.advance(500);
    }
    wake(1);
    await clock.advance(10_000);
    expect([seat.lost.aborted, killed, retired]).toEqual([false, [], ['idle']]);
    expect(fleet.stats().browsers).toBe(1);
    await fleet.shutdown();
  });
});

describe('browsers that never answer', () => {
  /** Half a second at a time, and what is to be seen in between. */
  async function lookFor(ms: number, { clock, fleet }: Pick<Awaited<ReturnType<typeof setUp>>, 'clock' | 'fleet'>) {
    const looks: { atMs: number; canServe: boolean; browsers: number }[] = [];
    for (let passed = 0; passed < ms; passed += 500) {
      await clock.advance(500, { turns: 4 });
      const { browsers, launching } = fleet.stats();
      looks.push({ atMs: clock.mono(), canServe: fleet.canServe(), browsers: browsers + launching });
    }
    return looks;
  }
  it('are not ready, and are replaced ever more slowly, and never more than twice as many as are wanted', async () => {
    const parts = await setUp({ seats: 8, launchMs: 700, isMute: () => true });
    const { clock, fleet, launches } = parts;
    await clock.advance(2_100);
    expect(fleet.stats().browsers).toBe(4);
    const looks = await lookFor(180_000, parts);
    expect(Math.max(...looks.map(({ browsers }) => browsers))).toBeLessThanOrEqual(8);
    // Nobody could know before the first ones had fallen silent; from then on nobody is told that there is a browser.
    expect(looks.filter(({ atMs, canServe }) => canServe && atMs > 5_000)).toEqual([]);
    const gaps = launches.slice(1).map((at, n) => at - launches[n]!);
    // As many as are wanted come up without a pause.
    gaps.splice(0, 3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...gaps)).toBe(30_000);
    expect(launches.length).toBeLessThan(25);
    await fleet.shutdown();
  });

  it('are followed by one that serves as soon as it has answered', async () => {
    const parts = await setUp({ isMute: (pid) => pid < 4 });
    const { clock, fleet, sit, launched } = parts;
    await clock.advance(2_500);
    expect(fleet.canServe()).toBe(false);
    // Who waits is not sent away: one of them may answer yet.
    const waiting = sit();
    const looks = await lookFor(60_000, parts);
    expect(Math.max(...looks.map(({ browsers }) => browsers))).toBe(2);
    expect(launched()).toBe(4);
    expect((await waiting).browser.pid).toBe(4);
    const first = looks.findIndex(({ canServe }) => canServe);
    expect(looks.slice(first).every(({ canServe }) => canServe)).toBe(true);
    await fleet.shutdown();
  });

  it('are replaced ever more slowly also where visits on them have been given up before they had a page', async () => {
    const { clock, fleet, asked, hang, launched } = await setUp();
    let visits = 0;
    for (let passed = 0; passed < 180_000; passed += 500) {
      const patience = new AbortController();
      const given = fleet.sit(patience.signal).then(
        (seat) => seat.leave().then(() => visits++),
        () => undefined,
      );
      await clock.advance(0, { turns: 4 });
      patience.abort();
      await given;
      // Each hangs when it has answered once.
      if (asked(launched())) hang(launched());
      await clock.advance(500, { turns: 4 });
    }
    expect(visits).toBeGreaterThan(5);
    expect(launched()).toBeLessThan(15);
    await fleet.shutdown();
  });
});

describe('a browser that comes up when nobody wants it any more', () => {
  it('goes, but not before whoever waited for it has left', async () => {
    const { clock, fleet, retired, sit } = await setUp({ seats: 0, launchMs: 1_500 });
    fleet.resize(2);
    const waiting = sit();
    await clock.advance(1_000);
    fleet.resize(0);
    await clock.advance(1_000);
    const seat = await waiting;
    expect([seat.lost.aborted, retired]).toEqual([false, ['idle']]);
    expect(fleet.stats().browsers).toBe(1);
    await seat.leave();
    await clock.advance(0);
    expect(fleet.stats().browsers).toBe(0);
    await fleet.shutdown();
  });
});

describe('a browser', () => {
  it('is asked twice a second while it answers, and not again while it owes an answer', async () => {
    const { clock, fleet, asked, hang } = await setUp();
    await clock.advance(60_000);
    expect(asked(1)).toBe(120);
    hang(1);
    await clock.advance(4_000);
    expect(asked(1)).toBe(121);
    await fleet.shutdown();
  });
});
