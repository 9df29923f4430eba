import { ownText } from './own-text.js';

const MAX_DOMAINS = 100_000;
/** Whoever adds one domain looks at a few others; where there is no room, at more. */
const LOOKS = 4;
const LOOKS_WHEN_FULL = 64;

/** Something remembered per domain. It is bounded, and what is idle is let go as others come. */
export interface DomainStates<T> {
  /** Always has an answer: if there is no room among what is not idle, one of the oldest is forgotten. */
  get(domain: string): T;
  /** Never forgets what is not idle: `undefined` if there is no room for a new domain. */
  getIfRoom(domain: string): T | undefined;
  /** Known from before; there is always room for it. */
  put(domain: string, state: T): void;
  /** Without making one. */
  peek(domain: string): T | undefined;
  entries(): Iterable<[string, T]>;
  size(): number;
}

export function createDomainStates<T extends object>(
  create: (domain: string) => T,
  isIdle: (state: T) => boolean,
  { max = MAX_DOMAINS }: { max?: number } = {},
): DomainStates<T> {
  const states = new Map<string, T>();
  // Goes round like the hand of a clock, from the oldest to the newest: one that stays long stops nobody behind it.
  let hand = states.entries();

  const look = (): [string, T] | undefined => {
    const next = hand.next();
    if (!next.done) return next.value;
    hand = states.entries();
    return hand.next().value;
  };

  const tidy = (): void => {
    for (let looks = states.size < max ? LOOKS : LOOKS_WHEN_FULL; looks > 0; looks -= 1) {
      const found = look();
      if (found && isIdle(found[1])) states.delete(found[0]);
    }
  };

  const add = (domain: string): T => {
    const state = create(domain);
    states.set(ownText(domain), state);
    return state;
  };

  return {
    get(domain) {
      const known = states.get(domain);
      if (known) return known;
      tidy();
      if (states.size >= max) states.delete(look()![0]);
      return add(domain);
    },
    getIfRoom(domain) {
      const known = states.get(domain);
      if (known) return known;
      tidy();
      return states.size < max ? add(domain) : undefined;
    },
    put(domain, state) {
      states.set(ownText(domain), state);
    },
    peek: (domain) => states.get(domain),
    entries: () => states.entries(),
    size: () => states.size,
  };
}
