import type { Page } from '../domain/page.js';
import type { Task, VisitMeta } from '../domain/task.js';
import type { Clock } from '../ports/clock.js';
import type { Pictures } from '../ports/pictures.js';
import type { Telemetry } from '../ports/telemetry.js';

export interface Found {
  result: Record<string, unknown>;
  meta: VisitMeta;
}

export interface PictureParts {
  clock: Clock;
  pictures: Pictures;
  telemetry: Telemetry;
}

/**
 * The picture is on the disk before a result speaks of it. What stands in the record is its name. What the disk does not
 * take in a while is left out and named: the site need not be visited again for it.
 */
export async function withPicture(
  found: Found,
  { screenshot }: Page,
  { task, parts, signal }: { task: Task; parts: PictureParts; signal: AbortSignal },
): Promise<Found> {
  if (!screenshot) return found;
  if (!(await isKept(task, screenshot, parts, signal))) {
    const dropped = [...found.meta.dropped, 'screenshot'];
    return { ...found, meta: { ...found.meta, dropped, quality: 'partial' } };
  }
  const from = { source: 'browser', confidence: 1, agreeing: [] };
  return {
    result: { ...found.result, screenshot: `${task.id}.png` },
    meta: { ...found.meta, provenance: { ...found.meta.provenance, screenshot: from } },
  };
}

const KEEP_TRIES = 5;
const KEEP_PAUSE_MS = 1_000;

async function isKept(task: Task, png: Uint8Array, { pictures, clock, telemetry }: PictureParts, signal: AbortSignal) {
  for (let tries = 1; ; tries += 1) {
    try {
      await pictures.keep(task.id, png);
      return true;
    } catch (error) {
      const ids = { request_id: task.requestId, task_id: task.id };
      telemetry.log.error({ err: error, ...ids, tries }, 'a screenshot could not be stored');
      if (tries >= KEEP_TRIES || signal.aborted) return false;
    }
    await clock.wait(KEEP_PAUSE_MS, signal);
  }
}
