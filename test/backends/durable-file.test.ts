import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import {
  appendDurably,
  type Disk,
  type DiskFile,
  nodeDisk,
  writeDurably,
} from '../../src/backends/embedded/durable-file.js';
import { tempDir } from '../support/temp-dir.js';

type Trouble = 'dies' | 'fails';

/**
 * A disk whose n-th call does not go well. `fails`: the call is refused, as by a full disk. `dies`: the process is gone
 * in the middle of it (half of a write is there), and no later call happens at all.
 */
function troubledDisk(at: number, trouble: Trouble): { disk: Disk; calls: string[] } {
  const calls: string[] = [];
  const call = async <T>(name: string, act: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> => {
    if (trouble === 'dies' && calls.length > at) throw new Error('dead');
    calls.push(name);
    if (calls.length - 1 !== at) return act();
    if (trouble === 'dies') await half?.();
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  const fileOn = (file: DiskFile): DiskFile =>
    ({
      write: (bytes: Buffer, from: number, length: number) =>
        call(
          'write',
          () => file.write(bytes, from, length),
          () => file.write(bytes, from, Math.floor(length / 2)),
        ),
      sync: () => call('sync', () => file.sync()),
      // Whatever becomes of the process, the system closes its files.
      close: async () => {
        await file.close();
        await call('close', async () => {});
      },
    }) as DiskFile;
  const disk: Disk = {
    mkdir: (path) => call('mkdir', () => nodeDisk.mkdir(path)),
    open: async (path, flags, mode) => fileOn(await call('open', () => nodeDisk.open(path, flags, mode))),
    rename: (from, to) => call('rename', () => nodeDisk.rename(from, to)),
    remove: (path) => call('remove', () => nodeDisk.remove(path)),
  };
  return { disk, calls };
}

const SEQUENCE = ['mkdir', 'open', 'write', 'write', 'write', 'sync', 'close', 'rename', 'open', 'sync', 'close'];

describe('a file that is written durably', () => {
  const directory = tempDir('durable');
  afterAll(() => directory.remove());
  let count = 0;
  const fresh = (): string => {
    count += 1;
    const path = join(directory.path, String(count));
    mkdirSync(path);
    return join(path, 'checkpoint.json');
  };

  it('is written beside, synced, renamed, and its directory synced, in this order', async () => {
    const { disk, calls } = troubledDisk(Number.POSITIVE_INFINITY, 'fails');
    const file = fresh();
    await writeDurably(file, ['a', 'b', 'c'], disk);
    expect(calls).toEqual(SEQUENCE);
    expect(readFileSync(file, 'utf8')).toBe('abc');
  });

  it.each(SEQUENCE.flatMap((name, at) => [[at, name, 'dies'] as const, [at, name, 'fails'] as const]))(
    'is the old one or the new one, whole, when call %i (%s) %s',
    async (at, _name, trouble) => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ minLength: 1 }),
          fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), fc.string({ minLength: 1 })),
          async (before, pieces) => {
            const file = fresh();
            writeFileSync(file, before);
            const { disk } = troubledDisk(at, trouble);
            await expect(writeDurably(file, pieces, disk)).rejects.toThrow();
            const isRenamed = at > SEQUENCE.indexOf('rename');
            expect(readFileSync(file, 'utf8')).toBe(isRenamed ? pieces.join('') : before);
            // Who only failed cleans up; who died leaves a draft at most, and the next write goes through all the same.
            if (trouble === 'fails') expect(existsSync(`${file}.tmp`)).toBe(false);
            await writeDurably(file, ['next']);
            expect(readFileSync(file, 'utf8')).toBe('next');
            expect(readdirSync(join(file, '..'))).toEqual(['checkpoint.json']);
          },
        ),
        { numRuns: 5 },
      );
    },
  );

  it('survives writes that take less than they are given', async () => {
    const file = fresh();
    const disk: Disk = {
      ...nodeDisk,
      open: async (path, flags, mode) => {
        const real = await nodeDisk.open(path, flags, mode);
        return {
          write: (bytes: Buffer, from: number) => real.write(bytes, from, 1),
          sync: () => real.sync(),
          close: () => real.close(),
        } as DiskFile;
      },
    };
    await writeDurably(file, ['äöü', '€uro'], disk);
    await appendDurably(file, '!', disk);
    expect(readFileSync(file, 'utf8')).toBe('äöü€uro!');
  });
});
