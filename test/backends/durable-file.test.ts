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
import { troubledDisk } from '../support/troubled-disk.js';

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
        { numRuns: 25 },
      );
    },
  );

  it('stays as it was where what is to be written cannot be said to its end', async () => {
    const file = fresh();
    writeFileSync(file, 'before');
    const pieces = function* (): Generator<string> {
      yield '{"half';
      throw new Error('no more to say');
    };
    await expect(writeDurably(file, pieces())).rejects.toThrow('no more to say');
    expect(readFileSync(file, 'utf8')).toBe('before');
    expect(existsSync(`${file}.tmp`)).toBe(false);
  });

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
