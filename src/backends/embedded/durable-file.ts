import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** What a disk is asked for, call by call, so that each of them can be made to fail. */
export interface Disk {
  /** With those above it. Resolves with the topmost that was not there; `undefined`: all were. */
  mkdir(path: string): Promise<string | undefined>;
  open(path: string, flags: string, mode?: number): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

type Pieces = Iterable<string | Uint8Array> | AsyncIterable<string>;

export type DiskFile = Pick<FileHandle, 'write' | 'sync' | 'close'>;

export const nodeDisk: Disk = {
  mkdir: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  open: (path, flags, mode) => open(path, flags, mode),
  rename,
  remove: (path) => rm(path, { force: true }),
};

/**
 * A file in one go: beside it, onto the disk, in its place, and the directory onto the disk, so that the new name
 * survives a power cut, too. Whoever reads sees the old text or the new one.
 */
export async function writeDurably(path: string, pieces: Pieces, disk: Disk = nodeDisk): Promise<void> {
  const draft = `${path}.tmp`;
  await makeDirectory(dirname(path), disk);
  try {
    await writeAll(draft, 'w', pieces, disk);
    await disk.rename(draft, path);
  } catch (error) {
    await disk.remove(draft).catch(() => undefined);
    throw error;
  }
  await syncDirectory(dirname(path), disk);
}

/** What is appended is on the disk when it resolves; a crash in between leaves at most a part of it, at the end. */
export async function appendDurably(path: string, text: string, disk: Disk = nodeDisk): Promise<void> {
  await writeAll(path, 'a', [text], disk);
}

/** A directory that is there after a power cut, too: whatever was made of it is synced into where it lies. */
export async function makeDirectory(path: string, disk: Disk = nodeDisk): Promise<void> {
  const topmost = await disk.mkdir(path);
  if (topmost === undefined) return;
  const above = dirname(resolve(topmost));
  for (let at = resolve(path); at.length > above.length; at = dirname(at)) await syncDirectory(dirname(at), disk);
}

async function writeAll(path: string, flags: 'w' | 'a', pieces: Pieces, disk: Disk): Promise<void> {
  const file = await disk.open(path, flags, 0o600);
  try {
    for await (const piece of pieces) await writeWhole(file, typeof piece === 'string' ? Buffer.from(piece) : piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A write may take less than it was given. */
async function writeWhole(file: DiskFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}

export async function syncDirectory(path: string, disk: Disk = nodeDisk): Promise<void> {
  const directory = await disk.open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
