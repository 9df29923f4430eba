import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPageRoom, type RoomForLeg } from '../../src/engine/page-room.js';

const MB = 1024 * 1024;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Whether each of the legs has its room by now. */
async function admitted(claims: Promise<void>[]): Promise<boolean[]> {
  const is = claims.map(() => false);
  claims.forEach((claim, n) => void claim.then(() => (is[n] = true)));
  await turn();
  return is;
}

describe('the room for long pages', () => {
  it('lets in what fits, in order, and the next when somebody leaves', async () => {
    const room = createPageRoom(10 * MB);
    const legs = [1, 2, 3, 4].map(() => room.open());
    const claims = [4, 5, 6, 1].map((size, n) => legs[n]!.take(size * MB));
    // The last would fit, but the third was there before it.
    expect(await admitted(claims)).toEqual([true, true, false, false]);
    legs[0]!.leave();
    expect(await admitted(claims)).toEqual([true, true, false, false]);
    legs[1]!.leave();
    expect(await admitted(claims)).toEqual([true, true, true, true]);
  });

  it('does not let short pages wait, and lets one that is longer than all of it in alone', async () => {
    const room = createPageRoom(MB);
    const [long, short, other] = [room.open(), room.open(), room.open()];
    const claims = [long.take(50 * MB), short.take(1_000), other.take(MB)];
    expect(await admitted(claims)).toEqual([true, true, false]);
    long.leave();
    expect(await admitted(claims)).toEqual([true, true, true]);
  });

  it('does not keep a place for whoever left before it was their turn', async () => {
    const room = createPageRoom(MB);
    const [first, gone, next] = [room.open(), room.open(), room.open()];
    const claims = [first.take(MB), gone.take(MB), next.take(MB)];
    gone.leave();
    gone.leave();
    // Whoever left is let go, not let in.
    expect(await admitted(claims)).toEqual([true, true, false]);
    first.leave();
    expect(await admitted(claims)).toEqual([true, true, true]);
  });

  it('is never overfull and never stuck, whoever comes and goes', async () => {
    const step = fc.record({ bytes: fc.integer({ min: MB, max: 8 * MB }), leaves: fc.nat(9) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const room = createPageRoom(10 * MB);
        const inside = new Map<RoomForLeg, number>();
        const all: RoomForLeg[] = [];
        const leave = (leg: RoomForLeg): void => {
          inside.delete(leg);
          leg.leave();
        };
        for (const { bytes, leaves } of steps) {
          const leg = room.open();
          all.push(leg);
          void leg.take(bytes).then(() => all.includes(leg) && inside.set(leg, bytes));
          await turn();
          expect([...inside.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10 * MB);
          expect(inside.size).toBeGreaterThan(0);
          const chosen = all[leaves];
          if (chosen) leave(all.splice(leaves, 1)[0]!);
          await turn();
        }
      }),
      { numRuns: 50 },
    );
  });
});
