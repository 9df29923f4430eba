import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GleanerError } from '../../domain/errors.js';
import type { Pictures } from '../../ports/pictures.js';

/** Pictures as files of one directory, named by their task. */
export function createPictureFiles(directory: string): Pictures {
  const fileOf = (taskId: string): string => {
    // A name from outside must not lead out of the directory.
    if (!/^[\w-]{1,64}$/.test(taskId)) throw new Error(`Not the id of a task: ${taskId}`);
    return join(directory, `${taskId}.png`);
  };
  return {
    keep: (taskId, png) => orUnavailable(() => writeWhole(directory, fileOf(taskId), png)),
    find: (taskId) => orUnavailable(() => unlessMissing(readFile(fileOf(taskId)))),
    expire: (before) => orUnavailable(() => removeOlder(directory, before)),
  };
}

/** First beside it, then in its place: whoever reads sees all of it or nothing. */
async function writeWhole(directory: string, file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${file}.draft`;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
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

async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new GleanerError('storage_unavailable', 'Pictures cannot be stored or read right now.', { cause: error });
  }
}
