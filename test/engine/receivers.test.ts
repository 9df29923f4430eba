import { beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, Receivers } from '../../src/engine/receivers.js';
import { Circuit } from '../../src/fetching/circuit.js';
import { VirtualClock } from '../support/virtual-clock.js';

const HOUR = 3_600_000;

describe('the receivers of webhooks', () => {
  let clock: VirtualClock;
  let receivers: Receivers;
  beforeEach(() => {
    clock = new VirtualClock();
    receivers = new Receivers(clock, () => new Circuit({ windowSize: 10, failureThreshold: 5, cooldownMs: 60_000 }));
  });
  const due = (key: string): Receiver => {
    const receiver = receivers.get(key);
    receivers.plan(receiver, clock.mono());
    return receiver;
  };

  it('are looked at by one at a time, and again afterwards if something came meanwhile', () => {
    const receiver = due('a');
    expect(receivers.take()).toEqual({ receiver, places: 1 });
    due('a');
    expect(receivers.take()).toBeNull();
    receivers.giveBack('new', 1);
    receivers.release(receiver);
    expect(receivers.take()).toEqual({ receiver, places: 1 });
    receivers.giveBack('new', 1);
    receivers.release(receiver);
    expect(receivers.take()).toBeNull();
  });

  it('are not forgotten while somebody looks at them, however long they were idle', async () => {
    const receiver = due('a');
    receivers.take();
    await clock.advance(2 * HOUR);
    for (let n = 0; n < 50; n += 1) receivers.get(`other-${n}`);
    expect(receivers.get('a')).toBe(receiver);
    receivers.release(receiver);
    for (let n = 0; n < 50; n += 1) receivers.get(`another-${n}`);
    expect(receivers.get('a')).not.toBe(receiver);
  });

  it('have places by trust: those that hang take none from those that answer', () => {
    for (let n = 0; n < 40; n += 1) receivers.judge(due(`dead-${n}`), 'failing');
    receivers.judge(due('well'), 'proven');
    const taken = Array.from({ length: 41 }, () => receivers.take()).filter((one) => one !== null);
    expect(taken).toHaveLength(17);
    expect(taken.find(({ receiver }) => receiver.key === 'well')?.places).toBe(6);
    expect(receivers.underWay()).toBe(16 + 6);
  });

  it('that are quiet are due when that is over, whoever plans them earlier', async () => {
    const receiver = receivers.get('a');
    receiver.quietUntil = 5_000;
    due('a');
    expect(receivers.take()).toBeNull();
    expect(receivers.nextDueAt()).toBe(5_000);
    await clock.advance(5_000);
    expect(receivers.take()?.receiver).toBe(receiver);
  });
});
