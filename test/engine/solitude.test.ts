import { beforeEach, describe, expect, it } from 'vitest';
import { type Leave, Solitude } from '../../src/engine/solitude.js';
import { VirtualClock } from '../support/virtual-clock.js';

describe('solitude', () => {
  let clock: VirtualClock;
  let solitude: Solitude;
  beforeEach(() => {
    clock = new VirtualClock();
    solitude = new Solitude(clock);
  });
  const among = (): Promise<Leave | null> => solitude.enter('anybody');
  const alone = (): Promise<Leave | null> => solitude.enter('nobody');
  /** What has come of it by now. */
  const soFar = async (entering: Promise<Leave | null>): Promise<'waits' | 'in' | 'not now'> => {
    const settled = new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')));
    const answer = await Promise.race([entering, settled]);
    return answer === 'waits' ? answer : answer ? 'in' : 'not now';
  };

  it('is asked for by nobody, and all go in', async () => {
    expect(await Promise.all([among(), among(), among()].map(soFar))).toEqual(['in', 'in', 'in']);
  });

  it('begins when the last of the others has left, and nobody is let in meanwhile', async () => {
    const [first, second] = await Promise.all([among(), among()]);
    const suspect = alone();
    const late = among();
    expect([await soFar(suspect), await soFar(late)]).toEqual(['waits', 'waits']);
    first?.();
    expect(await soFar(suspect)).toBe('waits');
    second?.();
    expect([await soFar(suspect), await soFar(late)]).toEqual(['in', 'waits']);
    (await suspect)?.();
    expect(await soFar(late)).toBe('in');
  });

  it('is for one at a time, and the next may come at once where nobody else waits', async () => {
    const first = await alone();
    expect(await soFar(alone())).toBe('not now');
    clock.step(clock.mono() + 1_000);
    first?.();
    expect(await soFar(alone())).toBe('in');
  });

  it('takes half of the time at most from those who wait', async () => {
    const other = await among();
    const first = alone();
    clock.step(clock.mono() + 300);
    other?.();
    const waiting = among();
    clock.step(clock.mono() + 700);
    (await first)?.();
    await waiting;
    clock.step(clock.mono() + 999);
    expect(await soFar(alone())).toBe('not now');
    clock.step(clock.mono() + 1);
    const second = alone();
    (await waiting)?.();
    expect(await soFar(second)).toBe('in');
  });

  it('takes all of it where nobody makes use of his turn', async () => {
    const first = alone();
    const waiting = among();
    clock.step(clock.mono() + 1_000);
    (await first)?.();
    (await waiting)?.();
    expect(await soFar(alone())).toBe('in');
  });

  it('is not for who was suspected once: one such at a time, among the others', async () => {
    const suspect = (): Promise<Leave | null> => solitude.enter('no_suspect');
    await among();
    const first = await suspect();
    expect(first).not.toBeNull();
    expect(await Promise.all([suspect(), among()].map(soFar))).toEqual(['not now', 'in']);
    first?.();
    expect(await soFar(suspect())).toBe('in');
  });

  it('lets no suspect in while one is tried, and waits for the one that is there', async () => {
    const first = await solitude.enter('no_suspect');
    const tried = alone();
    expect([await soFar(tried), await soFar(solitude.enter('no_suspect'))]).toEqual(['waits', 'not now']);
    first?.();
    expect(await soFar(tried)).toBe('in');
    expect(await soFar(solitude.enter('no_suspect'))).toBe('not now');
  });

  it('sends away whoever waits when the service stops, and lets nobody in', async () => {
    await among();
    const waiting = [alone(), among()];
    solitude.close();
    expect(await Promise.all([...waiting, alone(), among()].map(soFar))).toEqual(Array(4).fill('not now'));
  });
});
