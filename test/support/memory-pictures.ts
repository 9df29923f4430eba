import type { Clock } from '../../src/ports/clock.js';
import type { Pictures } from '../../src/ports/pictures.js';

/** The twin of the picture files for engines under a virtual clock: no disk, so no real time passes. */
export function memoryPictures(clock: Clock): Pictures & { kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  const times = new Map<string, number>();
  return {
    kept,
    async keep(taskId, png) {
      kept.set(taskId, png);
      times.set(taskId, clock.now());
    },
    find: async (taskId) => kept.get(taskId) ?? null,
    async expire(before) {
      const old = [...times].filter(([, at]) => at < before).map(([taskId]) => taskId);
      for (const taskId of old) {
        kept.delete(taskId);
        times.delete(taskId);
      }
      return old.length;
    },
  };
}
