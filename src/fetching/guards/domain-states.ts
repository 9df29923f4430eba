import { LRUCache } from 'lru-cache';

const MAX_DOMAINS = 100_000;

/** Something remembered per domain. It is bounded, and what no longer matters is let go as others are used. */
export interface DomainStates<T> {
  get(domain: string): T;
  entries(): Iterable<[string, T]>;
  size(): number;
}

export function createDomainStates<T extends object>(create: () => T, isIdle: (state: T) => boolean): DomainStates<T> {
  const states = new LRUCache<string, T>({ max: MAX_DOMAINS });

  /** Two at a time from the long-unused end: whoever adds one domain clears up after two. */
  const tidy = (): void => {
    let looked = 0;
    for (const domain of states.rkeys()) {
      if (looked === 2) return;
      looked += 1;
      const state = states.peek(domain);
      if (state && isIdle(state)) states.delete(domain);
    }
  };

  return {
    get(domain) {
      const known = states.get(domain);
      if (known) return known;
      tidy();
      const state = create();
      states.set(domain, state);
      return state;
    },
    entries: () => states.entries(),
    size: () => states.size,
  };
}
