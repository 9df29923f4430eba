import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock as clock } from '../../src/backends/embedded/system-clock.js';
import type { RunFiles } from '../../src/ports/run-files.js';
import { tempDir } from '../support/temp-dir.js';
import { troubledDisk } from '../support/troubled-disk.js';

const RUN = { runId: 'run', createdAt: Date.UTC(2025, 10, 28, 8, 0, 0) };
const IN_ITS_PLACE = ['sync', 'close', 'rename', 'open', 'sync', 'close'];
const APPENDED = ['open', 'write', 'sync', 'close'];
const SYNCED = ['open', 'sync', 'close'];
/** Each directory that is made is synced into the one it lies in. */
const making = (count: number): string[] => ['mkdir', ...Array(count).fill(SYNCED).flat()];

interface Writing {
  what: string;
  /** Below the data directory. */
  file: string;
  calls: string[];
  /** Directories that are not there the first time. */
  missing: number;
  write: (files: RunFiles, text: string) => Promise<unknown>;
}

const one = { seq: 0, name: 'IMM-1-25', record: null, page: null };

const WRITINGS: Writing[] = [
  {
    what: 'a checkpoint',
    file: 'checkpoints/run/checkpoint.json',
    calls: ['mkdir', 'open', 'write', 'write', ...IN_ITS_PLACE],
    missing: 2,
    write: (files, text) => files.writeCheckpoint('run', halves(text)),
  },
  {
    what: 'a record',
    file: 'retrievals/run/records/000/IMM-1-25.json',
    calls: ['mkdir', 'open', 'write', ...IN_ITS_PLACE],
    missing: 4,
    write: (files, text) => files.keep('run', { ...one, record: { text } }),
  },
  {
    what: 'a page',
    file: 'retrievals/run/pages/000/IMM-1-25.html',
    calls: ['mkdir', 'open', 'write', ...IN_ITS_PLACE],
    missing: 4,
    write: (files, text) => files.keep('run', { ...one, page: text }),
  },
  {
    what: 'an audit',
    file: 'retrievals/run/audit_20251128_080000.json',
    calls: ['mkdir', 'open', 'write', ...IN_ITS_PLACE],
    missing: 2,
    write: (files, text) => files.writeAudit(RUN, { text }),
  },
];

const ATTEMPTS = 'retrievals/run/attempts_20251128_080000.ndjson';

describe('the files of a run on a disk that is watched', () => {
  let directory: ReturnType<typeof tempDir>;
  beforeEach(() => {
    directory = tempDir('run-files-durable');
  });
  afterEach(() => directory.remove());

  const filesOn = (at: number) => {
    const { disk, calls } = troubledDisk(at, 'dies');
    return { files: createRunFiles({ dataDir: directory.path, clock, disk }), calls };
  };
  const whole = () => filesOn(Number.POSITIVE_INFINITY);
  const read = (file: string): string => readFileSync(join(directory.path, file), 'utf8');

  it.each(WRITINGS)('$what is written beside, synced and put in its place', async (writing) => {
    const { file, calls: wanted, missing, write } = writing;
    const { files, calls } = whole();
    await write(files, 'before');
    expect(calls).toEqual([...making(missing), ...wanted.slice(1)]);
    calls.length = 0;
    await write(files, 'after');
    expect(calls).toEqual(wanted);
    expect(read(file)).toContain('after');
  });

  it.each(WRITINGS)('$what is the old one or the new one, whichever call is the last', async (writing) => {
    const { file, calls: wanted, write } = writing;
    await write(whole().files, 'before');
    const before = read(file);
    await write(whole().files, 'and after');
    const after = read(file);
    for (const at of wanted.keys()) {
      await write(whole().files, 'before');
      const { files, calls } = filesOn(at);
      await expect(write(files, 'and after')).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(calls).toEqual(wanted.slice(0, at + 1));
      expect(read(file)).toBe(at > wanted.indexOf('rename') ? after : before);
    }
  });

  it('attempts are on the disk when they count as told, and a new file of them is, too', async () => {
    const { files, calls } = whole();
    await files.appendAttempts(RUN, ['{"n":1}']);
    expect(calls).toEqual([...making(2), ...APPENDED, ...SYNCED]);
    calls.length = 0;
    await files.appendAttempts(RUN, ['{"n":2}', '{"n":3}']);
    expect(calls).toEqual(APPENDED);
    expect(read(ATTEMPTS)).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
  });

  it.each([...APPENDED.entries()])('attempts cut off at call %i (%s) leave whole lines only', async (at) => {
    const before = whole().files;
    await before.appendAttempts(RUN, ['{"n":1}']);
    const { files, calls } = filesOn(at);
    await expect(files.appendAttempts(RUN, ['{"n":2}'])).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(calls).toEqual(APPENDED.slice(0, at + 1));
    const isWritten = at > APPENDED.indexOf('write');
    expect(await before.lastAttempt(RUN)).toBe(isWritten ? 2 : 1);
    await before.appendAttempts(RUN, [isWritten ? '{"n":3}' : '{"n":2}']);
    const lines = read(ATTEMPTS).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).n)).toEqual(isWritten ? [1, 2, 3] : [1, 2]);
    expect(readdirSync(join(directory.path, 'retrievals/run'))).toHaveLength(1);
  });
});

async function* halves(text: string): AsyncGenerator<string> {
  const middle = Math.ceil(text.length / 2);
  yield text.slice(0, middle);
  yield text.slice(middle);
}
