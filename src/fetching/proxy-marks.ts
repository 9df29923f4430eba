import type { Clock } from '../ports/clock.js';

/** Remembers for a fixed time that a proxy should not be used for a domain. */
export interface ProxyMarks {
  /** The returned function takes this very mark back. */
  add(domain: string, id: string): () => void;
  /** Until when the proxy is marked for the domain (monotonic ms); 0 if it is not. */
  until(domain: string, id: string): number;
  /** When there is room for another mark (monotonic ms); 0 is now. */
  roomAt(): number;
  size(): number;
}

interface MarksOptions {
  clock: Clock;
  durationMs: number;
  max?: number;
}

interface Mark {
  key: string;
  until: number;
  next: Mark | null;
}

/** About 60 MB at worst. */
const MAX_MARKS = 250_000;

export function createProxyMarks({ clock, durationMs, max = MAX_MARKS }: MarksOptions): ProxyMarks {
  const marks = new Map<string, Mark>();
  // All live equally long, so they expire in the order in which they came. A chain, because the first key of a Map is
  // slow to find where many were deleted before it.
  let oldest: Mark | null = null;
  let newest: Mark | null = null;
  let size = 0;

  const dropOldest = (): void => {
    if (!oldest) return;
    if (marks.get(oldest.key) === oldest) marks.delete(oldest.key);
    oldest = oldest.next;
    if (!oldest) newest = null;
    size -= 1;
  };
  const forgetExpired = (): void => {
    while (oldest && oldest.until <= clock.mono()) dropOldest();
  };

  return {
    add(domain, id) {
      forgetExpired();
      if (durationMs === 0) return () => {};
      // Whoever did not ask for room first loses the oldest.
      if (size >= max) dropOldest();
      const mark: Mark = { key: keyOf(domain, id), until: clock.mono() + durationMs, next: null };
      if (newest) newest.next = mark;
      else oldest = mark;
      newest = mark;
      size += 1;
      marks.set(mark.key, mark);
      return () => {
        if (marks.get(mark.key) === mark) marks.delete(mark.key);
      };
    },
    until(domain, id) {
      const until = marks.get(keyOf(domain, id))?.until ?? 0;
      return until > clock.mono() ? until : 0;
    },
    roomAt() {
      forgetExpired();
      return oldest && size >= max ? oldest.until : 0;
    },
    size: () => size,
  };
}

const keyOf = (domain: string, id: string): string => `${domain} ${id}`;
