import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createRunFiles } from '../../src/backends/embedded/run-files.js';
import { systemClock as clock } from '../../src/backends/embedded/system-clock.js';
import { tempDir } from '../support/temp-dir.js';

describe('the files of runs', () => {
  const directory = tempDir('run-files');
  afterAll(() => directory.remove());
  const files = createRunFiles({ dataDir: directory.path, clock });
  const at = (...parts: string[]): string => join(directory.path, ...parts);

  it('belong to one owner at a time, who is named to everybody else', async () => {
    const lock = await files.lock('run-1', 0);
    expect(lock.takenFrom).toBeNull();
    await expect(files.lock('run-1', 0)).rejects.toMatchObject({
      code: 'run_locked',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await lock.release();
    const again = await files.lock('run-1', 0);
    expect(again.takenFrom).toBeNull();
    await again.release();
  });

  it('are taken over from an owner that was killed, and a draft of it is removed', async () => {
    const script = `
      const { createRunFiles } = await import(${JSON.stringify(new URL('../../src/backends/embedded/run-files.ts', import.meta.url).href)});
      const { systemClock } = await import(${JSON.stringify(new URL('../../src/backends/embedded/system-clock.ts', import.meta.url).href)});
      await createRunFiles({ dataDir: ${JSON.stringify(directory.path)}, clock: systemClock }).lock('run-2', 0);
      process.stdout.write('mine');
      setInterval(() => {}, 1000);`;
    const tsx = createRequire(import.meta.url).resolve('tsx');
    const child = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', script]);
    await once(child.stdout, 'data');
    await expect(files.lock('run-2', 0)).rejects.toMatchObject({ code: 'run_locked' });
    writeFileSync(at('checkpoints', 'run-2', 'checkpoint.json.tmp'), '{"half');
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    const lock = await files.lock('run-2', 0);
    expect(lock.takenFrom).toContain(`process ${child.pid}`);
    expect(existsSync(at('checkpoints', 'run-2', 'checkpoint.json.tmp'))).toBe(false);
    await lock.release();
  });

  it('have the same safe paths for the same target, always', async () => {
    const kept = { seq: 2_345, name: 'IMM-2345-25', record: { title: 'x' }, page: '<p>ü</p>' };
    const paths = await files.keep('run-3', kept);
    expect(paths).toEqual({
      record: 'retrievals/run-3/records/002/IMM-2345-25.json',
      page: 'retrievals/run-3/pages/002/IMM-2345-25.html',
    });
    expect(await files.keep('run-3', kept)).toEqual(paths);
    expect(readFileSync(at(paths.page ?? ''), 'utf8')).toBe('<p>ü</p>');
    expect(await files.record(paths.record ?? '')).toEqual({ id: 'IMM-2345-25', title: 'x' });
    expect(await files.record('../secret.json')).toBeNull();
    expect(await files.record('retrievals/../../secret.json')).toBeNull();
    expect(await files.record('retrievals/run-3/records/000/none.json')).toBeNull();
    await expect(files.keep('run-3', { ...kept, name: '../../x' })).rejects.toThrow();
    await expect(files.keep('../up', kept)).rejects.toThrow();
  });

  it('tell attempts one to a line, and lose only a line that was never whole', async () => {
    const run = { runId: 'run-4', createdAt: Date.UTC(2025, 10, 28, 8, 0, 0) };
    const file = at('retrievals', 'run-4', 'attempts_20251128_080000.ndjson');
    expect(await files.lastAttempt(run)).toBe(0);
    await files.appendAttempts(run, ['{"n":1}', '{"n":2}']);
    expect(await files.lastAttempt(run)).toBe(2);
    appendFileSync(file, '{"n":3,"job');
    expect(await files.lastAttempt(run)).toBe(2);
    await files.appendAttempts(run, ['{"n":3}']);
    expect(readFileSync(file, 'utf8')).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
    await files.writeAudit(run, { success_count: 1 });
    expect(JSON.parse(readFileSync(at('retrievals', 'run-4', 'audit_20251128_080000.json'), 'utf8'))).toEqual({
      success_count: 1,
    });
  });

  it('tell the last attempt of a long file, of which only the end is read', async () => {
    const run = { runId: 'run-5', createdAt: Date.UTC(2025, 10, 28, 8, 0, 0) };
    const file = at('retrievals', 'run-5', 'attempts_20251128_080000.ndjson');
    const lines = Array.from({ length: 400 }, (_, index) => JSON.stringify({ n: index + 1, why: 'x'.repeat(1_000) }));
    await files.appendAttempts(run, lines);
    const whole = readFileSync(file, 'utf8');
    expect(whole.length).toBeGreaterThan(256 * 1024);
    expect(await files.lastAttempt(run)).toBe(400);
    appendFileSync(file, '{"n":401,"why":"xx');
    expect(await files.lastAttempt(run)).toBe(400);
    expect(readFileSync(file, 'utf8') === whole).toBe(true);
  });

  it('go when nobody has written to them for long, unless the run is not over', async () => {
    const pieces = async function* () {
      yield '{}';
    };
    for (const runId of ['old', 'kept', 'young']) await files.writeCheckpoint(runId, pieces());
    for (const runId of ['old', 'kept']) utimesSync(at('checkpoints', runId), 1, 1);
    expect(await files.expire(1_000_000, async (runId) => runId === 'kept')).toBe(1);
    expect(await files.readCheckpoint('old')).toBeNull();
    expect(await files.readCheckpoint('kept')).toBe('{}');
    expect(await files.readCheckpoint('young')).toBe('{}');
  });
});
