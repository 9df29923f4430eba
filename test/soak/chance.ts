/** Chance that can be had again: the same seed gives the same numbers. */
export interface Chance {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True this share of the time. */
  happens(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  shuffled<T>(list: readonly T[]): T[];
}

/** mulberry32: small, and good enough to choose moments with. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    happens: (share) => next() < share,
    pick: (list) => list[between(0, list.length - 1)]!,
    shuffled(list) {
      const cards = [...list];
      for (let last = cards.length - 1; last > 0; last--) {
        const other = between(0, last);
        [cards[last], cards[other]] = [cards[other]!, cards[last]!];
      }
      return cards;
    },
  };
}
