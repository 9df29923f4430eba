import { describe, expect, it } from 'vitest';
import { createFleet, type Fleet } from '../../src/fetching/browser-fleet.js';
import type { Seat } from '../../src/fetching/browser-member.js';
import { paperBrowser } from '../support/paper-browser.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A fleet of browsers that answer unless they are told to hang. */
async function setUp({ seats = 1, launchMs = 0 } = {}) {
  const clock = new VirtualClock();
  const retired: string[] = [];
  const killed: number[] = [];
  const hanging = new Map<number, (() => void)[]>();
  const asked = new Map<number, number>();
  let launched = 0;
  const fleet: Fleet = createFleet({
    contextsPerBrowser: 2,
    pageLimit: 100,
    maxAgeMs: 3_600_000,
    closeTimeoutMs: 5_000,
    clock,
    log: new QuietTelemetry().log,
    onRetire: (reason) => retired.push(reason),
    async launch() {
      const pid = ++launched;
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
    launched: () => launched,
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
    await clock.advance(2_000);
    await Promise.all([sit(), sit()]);
    const waiting = sit();
    wake(1);
    await clock.advance(0);
    expect((await waiting).browser.pid).toBe(1);
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
