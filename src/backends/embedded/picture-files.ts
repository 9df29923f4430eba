import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pictures } from '../../ports/pictures.js';
import { writeDurably } from './durable-file.js';
import { orUnavailable, unlessMissing } from './file-faults.js';

const UNAVAILABLE = 'Pictures cannot be stored or read right now.';

/** Pictures as files of one directory, named by their task. */
export function createPictureFiles(directory: string): Pictures {
  const fileOf = (taskId: string): string => {
    // A name from outside must not lead out of the directory.
    if (!/^[\w-]{1,64}$/.test(taskId)) throw new Error(`Not the id of a task: ${taskId}`);
    return join(directory, `${taskId}.png`);
  };
  return {
    keep: (taskId, png) => orUnavailable(UNAVAILABLE, () => writeDurably(fileOf(taskId), [png])),
    find: (taskId) => orUnavailable(UNAVAILABLE, () => unlessMissing(readFile(fileOf(taskId)))),
    expire: (before) => orUnavailable(UNAVAILABLE, () => removeOlder(directory, before)),
  };
}

/** Drafts of a process that was killed go with the rest. */
async function removeOlder(directory: string, before: number): Promise<number> {
  let removed = 0;
  for (const name of (await unlessMissing(readdir(directory))) ?? []) {
    const file = join(directory, name);
    const found = await unlessMissing(stat(file));
    if (!found || found.mtimeMs >= before) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
}
