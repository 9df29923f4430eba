import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { retrieve } from '../../src/cli/retrieve.js';
import { createProgress, progressLine } from '../../src/cli/retrieve-progress.js';
import { GleanerError } from '../../src/domain/errors.js';
import { BEGINNING } from '../../src/plans/retrieval-cursor.js';
import type { PlannedJob } from '../../src/ports/plans.js';
import { type Court, courtYaml, startCourt } from '../support/court.js';
import { MemoryPlanned } from '../support/memory-planned.js';
import { journeyEnv } from '../support/service.js';
import { keepOutput } from '../support/sinks.js';
import { tempDir } from '../support/temp-dir.js';

interface Finished {
  code: number | null;
  out: string;
  err: string;
}

describe('gleaner retrieve', () => {
  const directory = tempDir('cli-retrieve');
  let court: Court;
  beforeAll(async () => {
    court = await startCourt({ slowMs: 100, baseMs: 30 });
  });
  afterAll(async () => {
    await court.close();
    directory.remove();
  });

  const run = (...args: string[]): { child: ChildProcess; output: string[]; end: Promise<Finished> } => {
    const cases = join(directory.path, 'cases.yaml');
    writeFileSync(cases, courtYaml(court.origin));
    const env = journeyEnv(directory.path, {
      SCRAPER_CASE_RECORDS_PATH: cases,
      SCRAPER_CHROMIUM_PATH: join(directory.path, 'no-chromium'),
      // All commands of this file visit one register, and what one of them found broken the next one would leave alone.
      SCRAPER_CB_WINDOW_SIZE: '1000',
      SCRAPER_CB_FAILURE_THRESHOLD: '999',
    });
    const tsx = createRequire(import.meta.url).resolve('tsx');
    const child = spawn(process.execPath, ['--import', tsx, 'src/gleaner.ts', 'retrieve', ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    });
    keepOutput(child);
    const output: string[] = [];
    const errors: string[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
    const end = once(child, 'exit').then(([code]) => ({ code, out: output.join(''), err: errors.join('') }));
    return { child, output, end };
  };

  it('tells how far it has come, rests on Ctrl-C and goes on with --resume', { timeout: 90_000 }, async () => {
    const first = run('IMM-101-25..IMM-300-25', '--adapter', 'court', '--no-html');
    const before = court.asked.length;
    await expect.poll(() => court.asked.length, { timeout: 30_000 }).toBeGreaterThan(before + 20);
    first.child.kill('SIGINT');
    const paused = await first.end;
    expect(paused.code).toBe(130);
    const runId = /^run ([0-9a-f-]{36})$/m.exec(paused.out)?.[1] ?? '';
    expect(paused.out).toContain(`npx gleaner retrieve --resume ${runId}`);

    const resumed = await run('--resume', runId).end;
    expect(resumed.out).toMatch(/200\/200 /);
    expect(resumed.out).toContain('partially_completed: ');
    // Some cases of the site are broken for ever.
    expect(resumed.code).toBe(3);
    const again = await run('--resume', runId).end;
    expect(again.code).toBe(3);
    expect(again.out).toContain('partially_completed: ');
  });

  it('ends with 0 where every case has its answer, and takes a list, too', { timeout: 60_000 }, async () => {
    const { code, out } = await run('IMM-1-25, imm-03-25', '--adapter', 'court').end;
    expect(code).toBe(0);
    expect(out).toMatch(/completed: 1 found, 1 without a record, 0 failed\nfiles: .*\/retrievals\/[0-9a-f-]{36}\n$/);
  });

  it.each([
    ['an unknown adapter', ['IMM-1-25', '--adapter', 'nobody'], 2, /adapter must be one of court; received "nobody"/],
    ['a range that goes down', ['IMM-5-25..IMM-1-25', '--adapter', 'court'], 2, /must go upwards, and not from 5 to 1/],
    ['a case of another series', ['T-1-25', '--adapter', 'court'], 2, /identifiers\[0\] must begin with IMM-/],
    ['cases and a run', ['IMM-1-25', '--resume', '0190b5a2-7c1f-7aaa-8c3d-9e8f7a6b5c44'], 2, /not both/],
    ['what is no id of a run', ['--resume', '../../x'], 2, /"..\/..\/x" is not the id of a run/],
    ['cases of another series', ['T-1-25..T-5-25', '--adapter', 'court'], 2, /must be of the series IMM/],
    ['a run that nobody knows', ['--resume', '0190b5a2-7c1f-7aaa-8c3d-9e8f7a6b5c44'], 1, /There is no run/],
    ['nothing at all', [], 2, /name the cases/],
    ['no adapter', ['IMM-1-25'], 2, /--adapter is needed/],
  ])('refuses %s', { timeout: 60_000 }, async (_what, args, code, message) => {
    const finished = await run(...args).end;
    expect(finished.err).toMatch(message);
    expect(finished.code).toBe(code);
  });

  it('ends with 5 where a run cannot go on by itself, and says why', async () => {
    const planned = new MemoryPlanned({ ...systemClock });
    const { find } = planned;
    planned.find = async (id, kind) => ({
      ...(await find.call(planned, id, kind)),
      paused: 'There is no adapter court.',
    });
    const [out, err]: string[][] = [[], []];
    const code = await retrieve(
      'IMM-1-25..IMM-9-25',
      { adapter: 'court', workspace: 'cli', html: true },
      {
        openHost: async () => ({ planned, newRequestId: () => 'r', filesOf: (id) => id, stop: async () => {} }),
        print: (line) => out!.push(line),
        complain: (line) => err!.push(line),
      },
    );
    expect(code).toBe(5);
    expect(err).toEqual(['The run rests: There is no adapter court.']);
    expect(out!.at(-1)).toMatch(/^paused; go on with: npx gleaner retrieve --resume [0-9a-f-]{36}$/);
  });

  it('tells of the end that came with the Ctrl-C', async () => {
    const planned = new MemoryPlanned({ ...systemClock });
    let isOver = false;
    const { find } = planned;
    planned.find = async (id, kind) => {
      const run = await find.call(planned, id, kind);
      return isOver ? { ...run, job: { ...run.job, status: 'completed', completedAt: 1 } } : run;
    };
    planned.pause = async () => {
      isOver = true;
      throw new GleanerError('run_over', 'It is over.');
    };
    const out: string[] = [];
    const ended = retrieve(
      'IMM-1-25..IMM-9-25',
      { adapter: 'court', workspace: 'cli', html: true },
      {
        openHost: async () => ({ planned, newRequestId: () => 'r', filesOf: (id) => id, stop: async () => {} }),
        print: (line) => {
          out.push(line);
          if (line.startsWith('run ')) process.emit('SIGINT');
        },
        complain: (line) => out.push(line),
      },
    );
    expect(await ended).toBe(0);
    expect(out.join('\n')).toMatch(/completed: .*\nfiles: /);
  });

  it('rewrites one line on a terminal, and elsewhere prints one now and then', () => {
    let now = 0;
    const at = (ended: number) =>
      ({ ended, cursor: { ...BEGINNING, success: ended }, job: { counts: { total: 20 } } }) as unknown as PlannedJob;
    const [written, printed]: string[][] = [[], []];
    const print = (line: string) => printed!.push(line);
    const terminal = createProgress(at(0), { print, rewrite: (text) => written!.push(text), now: () => now });
    const file = createProgress(at(0), { print, rewrite: null, now: () => now });
    for (const ended of [1, 2, 20]) {
      now += 6_000;
      for (const progress of [terminal, file]) progress.show(at(ended), ended === 20);
    }
    expect(written).toHaveLength(3);
    expect(written!.every((text) => text.startsWith('\r'))).toBe(true);
    expect(written!.map((text) => text.endsWith('\n'))).toEqual([false, false, true]);
    // The shorter last line covers the longer one before it.
    expect(written![2]!.length).toBeGreaterThanOrEqual(written![1]!.length);
    expect(printed!.map((line) => line.split('  ')[0])).toEqual(['2/20', '20/20']);
  });

  it('says how far, how fast and how long yet in one line', () => {
    const cursor = { ...BEGINNING, success: 30, noRecord: 6, failed: 1 };
    const planned = { ended: 37, cursor, job: { counts: { total: 500 } } } as unknown as PlannedJob;
    expect(progressLine(planned, { ended: 21, ms: 10_000 })).toBe(
      '37/500  2.1/s  30 found, 6 no record, 1 failed  ETA 3m 41s',
    );
  });
});
