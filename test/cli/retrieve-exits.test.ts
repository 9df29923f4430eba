import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { runCli } from '../../src/cli/program.js';
import type { RetrievalParams } from '../../src/domain/retrieval.js';
import { type Court, courtYaml, startCourt } from '../support/court.js';
import { MemoryPlanned } from '../support/memory-planned.js';
import { journeyEnv, startService } from '../support/service.js';
import { keepOutput } from '../support/sinks.js';
import { tempDir } from '../support/temp-dir.js';

const TERMINAL = '/usr/bin/script';
const POLL = { timeout: 30_000 };

describe('gleaner retrieve, as it ends', () => {
  const directory = tempDir('cli-exits');
  let court: Court;
  beforeAll(async () => {
    // Case 4 and its like answer when nobody waits any more.
    court = await startCourt({ slowMs: 120_000, baseMs: 20 });
  });
  afterAll(async () => {
    await court.close();
    directory.remove();
  });

  const env = (): Record<string, string> => {
    const cases = join(directory.path, 'cases.yaml');
    writeFileSync(cases, courtYaml(court.origin));
    return journeyEnv(directory.path, {
      SCRAPER_CASE_RECORDS_PATH: cases,
      SCRAPER_CHROMIUM_PATH: join(directory.path, 'no-chromium'),
      SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '60',
      SCRAPER_NAVIGATION_TIMEOUT_MS: '60000',
    });
  };
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const line = (args: string[]): string[] => ['--import', tsx, 'src/gleaner.ts', 'retrieve', ...args];
  const started = (program: string, args: string[]) => {
    const child: ChildProcess = spawn(program, args, {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env() },
    });
    keepOutput(child);
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    }
    const out = (): string => output.join('');
    // A shell says 130 of both.
    const end = once(child, 'exit').then(([code, by]) => (by === 'SIGINT' ? 130 : code));
    const runId = (): string => /^run ([0-9a-f-]{36})\s*$/m.exec(out())?.[1] ?? '';
    return { child, out, end, runId };
  };
  const run = (...args: string[]) => started(process.execPath, line(args));
  const pausedIn = (runId: string): unknown => {
    const database = new BetterSqlite3(join(directory.path, 'data', 'gleaner.db'), { readonly: true });
    try {
      return database.prepare('SELECT paused FROM plans WHERE job_id = ?').pluck().get(runId);
    } finally {
      database.close();
    }
  };

  it('rests in the database after Ctrl-C, and ends with 4 where it was cancelled meanwhile', {
    timeout: 90_000,
  }, async () => {
    // No slow case among them, so what is being visited may finish.
    const first = run('IMM-1005-25..IMM-1028-25', '--adapter', 'court');
    await expect.poll(() => court.asked.length, POLL).toBeGreaterThan(3);
    first.child.kill('SIGINT');
    expect(await first.end).toBe(130);
    expect(pausedIn(first.runId())).toBe('It was asked to.');

    const service = await startService(env());
    const path = `/api/v1/retrievals/${first.runId()}`;
    expect((await service.get(path)).body.data.status).toBe('paused');
    await service.post(`${path}/cancel`);
    await service.until(path, ({ completed_at: at }) => at !== null);
    await service.service.stop(1_000);

    const told = run('--resume', first.runId());
    expect(await told.end).toBe(4);
    expect(told.out()).toContain('cancelled: ');
  });

  it('ends at once on a second Ctrl-C, whatever is being visited, and has been paused by the first', {
    timeout: 60_000,
  }, async () => {
    const before = court.asked.length;
    const hanging = run('IMM-4-25', '--adapter', 'court');
    await expect.poll(() => court.asked.length, POLL).toBeGreaterThan(before);
    hanging.child.kill('SIGINT');
    await expect.poll(hanging.out, POLL).toContain('paused; go on with: ');
    // It waits for the visit now, for a minute.
    expect(hanging.child.exitCode).toBeNull();
    hanging.child.kill('SIGINT');
    expect(await hanging.end).toBe(130);
    expect(pausedIn(hanging.runId())).toBe('It was asked to.');
  });

  it('rests, too, when nobody listens to it any more, and does not say that every case has its answer', {
    timeout: 60_000,
  }, async () => {
    const before = court.asked.length;
    const piped = run('IMM-29-25,IMM-54-25', '--adapter', 'court');
    await expect.poll(() => court.asked.length, POLL).toBeGreaterThan(before);
    const runId = piped.runId();
    piped.child.stdout?.destroy();
    // It finds out with its next line.
    await expect.poll(() => pausedIn(runId), POLL).toBe('It was asked to.');
    piped.child.kill('SIGINT');
    expect(await piped.end).toBe(130);
  });

  it.skipIf(!existsSync(TERMINAL))(
    'rewrites its line on a terminal, and nowhere else',
    { timeout: 60_000 },
    async () => {
      const command = [process.execPath, ...line(['IMM-1-25', '--adapter', 'court', '--no-html'])].join(' ');
      const shown = started(TERMINAL, ['-qec', command, '/dev/null']);
      expect(await shown.end).toBe(0);
      expect(shown.out()).toMatch(/\r1\/1 {2}[^\r\n]*\r?\n/);
      const printed = run('IMM-1-25', '--adapter', 'court', '--no-html');
      expect(await printed.end).toBe(0);
      expect(printed.out()).toMatch(/^1\/1 {2}/m);
      expect(printed.out()).not.toContain('\r');
      expect(existsSync(join(directory.path, 'data', 'retrievals', printed.runId(), 'records'))).toBe(true);
      expect(existsSync(join(directory.path, 'data', 'retrievals', printed.runId(), 'pages'))).toBe(false);
    },
  );

  it.each([
    [['--stop-after-no-records', '7', '--no-html'], { stopAfterNoRecords: 7, saveHtml: false, workspaceId: 'cli' }],
    [['--workspace', 'ws-9'], { stopAfterNoRecords: 0, saveHtml: true, workspaceId: 'ws-9' }],
  ])('passes %j on to the run', async (flags, wanted) => {
    const planned = new MemoryPlanned(systemClock);
    const { find } = planned;
    // Over at once: nobody visits anything here.
    planned.find = async (id, kind) => {
      const known = await find.call(planned, id, kind);
      return { ...known, job: { ...known.job, status: 'completed', completedAt: 1 } };
    };
    const code = await runCli(['node', 'gleaner', 'retrieve', 'IMM-1-25..IMM-9-25', '--adapter', 'court', ...flags], {
      version: '0',
      targetTypes: [],
      extractOffline: () => {
        throw new Error('not asked for');
      },
      now: 0,
      openHost: async () => ({ planned, newRequestId: () => 'r', filesOf: (id) => id, stop: async () => {} }),
      print: () => {},
      complain: () => {},
    });
    expect(code).toBe(0);
    const [opened] = planned.runs.values();
    expect(opened?.params as RetrievalParams).toMatchObject(wanted);
  });
});
