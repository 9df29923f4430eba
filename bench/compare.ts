/**
 * Ours through REST against its peers, on the same pages in the same run; then what accepting and reading cost.
 * Every round runs every contestant once, so that the machine's moods hit all alike; medians count.
 *
 *   npm run bench [-- --quick] [--rounds 3] [--only js,job,company,accept] [--save]
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contestantsOf, PAGES, type PageKind } from './peers/contestants.js';
import { figure } from './peers/figures.js';
import { machineLine } from './peers/machine.js';
import { ensurePeers } from './peers/prepare.js';
import { createProcessTree, MissingError } from './peers/process-tree.js';
import { type Outcome, pageReport } from './peers/report.js';
import { openTrack, type Track } from './peers/track.js';

const SITE_PORT = Number(process.env.BENCH_SITE_PORT ?? 8800);
const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    only: { type: 'string', default: [...Object.keys(PAGES), 'accept'].join() },
    save: { type: 'boolean', default: false },
  },
});
const isQuick = values.quick;
const rounds = Number(values.rounds ?? (isQuick ? 1 : 3));
const chosen = values.only.split(',');
const unknown = chosen.filter((name) => name !== 'accept' && !(name in PAGES));
const kinds = (Object.keys(PAGES) as PageKind[]).filter((kind) => chosen.includes(kind));

try {
  await main();
} catch (error) {
  if (!(error instanceof MissingError)) throw error;
  say(error.message);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  if (unknown.length > 0) throw new MissingError(`--only knows js, job, company and accept, not ${unknown.join()}.`);
  const chromium = process.env.SCRAPER_CHROMIUM_PATH;
  if (!chromium) throw new MissingError('npm run bench finds a Chromium; SCRAPER_CHROMIUM_PATH names one.');
  const reports = [`## ${new Date().toISOString().slice(0, 10)} · ${machineLine(chromium)}`, aboutRun()];
  if (kinds.length > 0) reports.push(...(await measurePages(chromium)));
  if (chosen.includes('accept')) reports.push(await measureAccept());
  const report = `${reports.join('\n\n')}\n`;
  console.log(report);
  if (values.save) appendFileSync(RESULTS, `\n${report}`);
}

function aboutRun(): string {
  return (
    `\`npm run bench\`: ${rounds === 1 ? 'one round' : `medians of ${rounds} interleaved rounds`}, all contestants on the same Chromium. Ours is asked ` +
    'through REST and durable; its client and its store count as its own.'
  );
}

async function measurePages(chromium: string): Promise<string[]> {
  // First, because it is what most likely cannot be had.
  const tree = createProcessTree();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  process.once('exit', tree.remove);
  await ensurePeers();
  const track = await openTrack({ port: SITE_PORT, chromium, tree });
  const reports: string[] = [];
  try {
    for (const kind of kinds) reports.push(pageReport(kind, await compete(track, kind)));
  } finally {
    await track.close();
  }
  return reports;
}

async function compete(track: Track, kind: PageKind): Promise<Outcome[]> {
  const outcomes: Outcome[] = contestantsOf(kind, { isQuick }).map((contestant) => ({
    contestant,
    runs: [],
    faults: [],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const outcome of rotated(outcomes, round)) {
      const mark = `[${kind} ${round + 1}/${rounds}] ${outcome.contestant.name}`;
      await track.run(kind, outcome.contestant).then(
        (run) => {
          outcome.runs.push(run);
          say(
            `${mark}: ${figure(run.pagesPerSecond)} pages/s, ${figure(run.cpuMs)} ms CPU a page, ${run.failed} failed`,
          );
        },
        (error: Error) => {
          outcome.faults.push(error.message);
          say(`${mark}: ${error.message}`);
        },
      );
    }
  }
  return outcomes;
}

/** Each round begins elsewhere: nobody is always the first, nobody always follows the same. */
function rotated<T>(items: readonly T[], round: number): T[] {
  const from = Math.floor((round * items.length) / rounds);
  return [...items.slice(from), ...items.slice(0, from)];
}

/** In a process of its own, as `npm run bench:accept` does it. */
function measureAccept(): Promise<string> {
  const script = fileURLToPath(new URL('accept.ts', import.meta.url));
  const args = ['--rounds', String(rounds), '--seconds', isQuick ? '2' : '4'];
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.on('data', (chunk) => (output += chunk));
    child.once('close', (code) =>
      code === 0 ? resolve(output.trim()) : reject(new Error(`accept ended with ${code}`)),
    );
  });
}
