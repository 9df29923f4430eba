import type { Notes } from '../../src/ports/notes.js';

/** Notes that nobody reads after the test. */
export function memoryNotes<T>(): Notes<T> {
  const kept = new Map<string, { note: T; until: number }>();
  return {
    async keep(key, note, until) {
      kept.set(key, { note, until });
    },
    async forget(key) {
      kept.delete(key);
    },
    async all(now) {
      return [...kept].flatMap(([key, { note, until }]) => (until > now ? [{ key, note }] : []));
    },
  };
}
