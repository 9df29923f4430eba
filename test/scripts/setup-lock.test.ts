import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempProject, PROJECT, part } from './temp-project.js';

const { run } = await part('setup/run.mjs');
const { withLock } = await part('setup/lock.mjs');

let project: ReturnType<typeof createTempProject>;
let root: string;
beforeEach(() => {
  project = createTempProject();
  root = project.root;
});
afterEach(() => project.remove());
const write: typeof project.write = (...args) => project.write(...args);

describe('running a command', () => {
  it('answers whether it went well and what it said', async () => {
    expect(await run('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({
      ok: false,
      output: expect.stringMatching(/out/),
    });
    expect(await run('sh', ['-c', 'true'])).toEqual({ ok: true, output: '' });
    expect((await run('no-such-command-here', [])).ok).toBe(false);
  });

  it('ends the command and everything it started when the time is up', async () => {
    const script = 'sleep 60 & echo $!; sleep 60';
    const { ok, output } = await run('sh', ['-c', script], { timeoutMs: 200 });
    expect(ok).toBe(false);
    expect(output).toContain('stopped after 0 s');
    const grandchild = Number(output.split('\n')[0]);
    await expect.poll(() => isAlive(grandchild)).toBe(false);
  });
});

/** A zombie counts as ended: nobody may be there to reap it. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the lock', () => {
  const lock = () => join(root, 'dist/.setup-lock');
  const owned = (owner: object) => write('dist/.setup-lock/owner', owner);

  it('lets one at a time in, across processes', async () => {
    const script = write(
      'worker.mjs',
      `import { appendFileSync } from 'node:fs';
       import { setTimeout as pause } from 'node:timers/promises';
       import { withLock } from ${JSON.stringify(join(PROJECT, 'scripts/setup/lock.mjs'))};
       for (let i = 0; i < 5; i++) await withLock(${JSON.stringify(lock())}, async () => {
         appendFileSync('log', 'in ');
         await pause(5);
         appendFileSync('log', 'out ');
       });`,
    );
    const start = () => promisify(execFile)(process.execPath, [script], { cwd: root });
    await Promise.all([start(), start(), start()]);
    expect(readFileSync(join(root, 'log'), 'utf8')).toBe('in out '.repeat(15));
    expect(readdirSync(join(root, 'dist'))).toEqual([]);
  });

  it('is given back when the work fails', async () => {
    const failing = withLock(lock(), () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(existsSync(lock())).toBe(false);
  });

  it('waits for an owner that lives, and says so', async () => {
    owned({ token: 'x', pid: process.pid, host: hostname() });
    let waits = 0;
    const got = withLock(lock(), () => 'mine', { onWait: () => waits++ });
    expect(await Promise.race([got, pause(400, 'waiting')])).toBe('waiting');
    rmSync(lock(), { recursive: true });
    expect(await got).toBe('mine');
    expect(waits).toBe(1);
  });

  it('is taken over at once from a process that died, by exactly one of several', async () => {
    const dead = spawn('true');
    await new Promise((done) => dead.on('exit', done));
    owned({ token: 'dead', pid: dead.pid, host: hostname() });
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await pause(20);
      inside--;
    };
    await Promise.all([withLock(lock(), work), withLock(lock(), work), withLock(lock(), work)]);
    expect(most).toBe(1);
  });
});
