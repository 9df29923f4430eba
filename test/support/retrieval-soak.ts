import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { parseCheckpoint } from '../../src/domain/checkpoint.js';
import { type Court, courtYaml, type Fate, fateOf, startCourt } from './court.js';
import { journeyEnv, type ServiceProcess, spawnService } from './service.js';
import { tempDir } from './temp-dir.js';

export interface SoakOptions {
  ids: number;
  /** At least so many times the service is killed with -9 before the run may end. */
  kills: number;
  seed: number;
  /** How long each answer of the site takes: decides how long the run lasts. */
  baseMs: number;
  /** The longest time between a start and the kill that follows it. */
  longestMs: number;
}

export interface SoakReport {
  kills: number;
  /** Of these, those that found cases without an outcome. */
  killsUnderWay: number;
  requests: number;
  attempts: number;
  /** Nobody saw their end: the service died. */
  interrupted: number;
  /** Cases that three kills, each as far as one can tell their fault, have decided, and not the site. */
  poison: number;
  outcomes: Record<string, number>;
}

/**
 * A run that is killed again and again, at any moment, and what must hold of it all the same. Throws where it does not.
 */
export async function soakRetrieval(options: SoakOptions, say: (line: string) => void = () => {}): Promise<SoakReport> {
  const directory = tempDir('soak');
  const court = await startCourt({ slowMs: 300, baseMs: options.baseMs });
  try {
    return await soak(directory.path, court, options, say);
  } finally {
    await court.close();
    directory.remove();
  }
}

async function soak(
  path: string,
  court: Court,
  { ids, kills: least, seed, longestMs }: SoakOptions,
  say: (line: string) => void,
) {
  const random = mulberry(seed);
  const env = envOf(path, court);
  const data = (...parts: string[]): string => join(path, 'data', ...parts);
  let api = await spawnService(env);
  try {
    const body = { adapter: 'court', workspace_id: 'ws', year: '25', range: { from: 1, to: ids } };
    const opened = await api.post('/api/v1/retrievals', body);
    assert.equal(opened.status, 202);
    const runId: string = opened.body.data.run_id;
    const recorded: { number: number; since: number }[] = [];
    let kills = 0;
    let killsUnderWay = 0;
    while (kills < least) {
      await sleep(random() * longestMs);
      await api.kill('SIGKILL');
      kills += 1;
      const found = recordedIn(data('gleaner.db'), runId);
      if (found.length < ids) killsUnderWay += 1;
      recorded.push(...found.map((number) => ({ number, since: court.asked.length })));
      const checkpoint = data('checkpoints', runId, 'checkpoint.json');
      // Old or new, never half of one.
      if (existsSync(checkpoint)) parseCheckpoint(readFileSync(checkpoint, 'utf8'));
      api = await spawnService(env);
      say(`killed ${kills} times, ${new Set(recorded.map(({ number }) => number)).size} of ${ids} recorded`);
    }
    const run = (await api.until(`/api/v1/retrievals/${runId}`, (found) => found.completed_at !== null)).body.data;
    const results = await allResults(api, runId);
    checkResults(results, ids);
    for (const { number, since } of recorded) {
      const again = court.asked.slice(since).find((asked) => asked.number === number);
      assert.equal(again, undefined, `IMM-${number}-25 was asked for again after it was recorded`);
    }
    assert.equal(await api.kill('SIGTERM'), 0);
    return { kills, killsUnderWay, ...checkFiles(data, runId, { court, ids, run, results }) };
  } finally {
    if (api.child.exitCode === null && api.child.signalCode === null) await api.kill('SIGKILL');
  }
}

function envOf(path: string, court: Court): Record<string, string> {
  const cases = join(path, 'cases.yaml');
  writeFileSync(cases, courtYaml(court.origin));
  return journeyEnv(path, {
    SCRAPER_CASE_RECORDS_PATH: cases,
    SCRAPER_CHECKPOINT_INTERVAL_SECONDS: '1',
    // The site fails often on purpose, and needs no browser.
    SCRAPER_CB_WINDOW_SIZE: '1000',
    SCRAPER_CB_FAILURE_THRESHOLD: '999',
    SCRAPER_CHROMIUM_PATH: join(path, 'no-chromium'),
  });
}

/** What the database of a dead process holds. */
function recordedIn(file: string, runId: string): number[] {
  const database = new BetterSqlite3(file);
  try {
    assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
    const rows = database.prepare('SELECT name FROM outcomes WHERE job_id = ?').all(runId) as { name: string }[];
    return rows.map(({ name }) => Number(name.split('-')[1]));
  } finally {
    database.close();
  }
}

interface Result {
  case_identifier: { number: number };
  outcome: Fate;
  timestamp: string;
  last_error: { type: string } | null;
}

const isPoison = ({ outcome, last_error }: Result): boolean => outcome === 'failed' && last_error?.type === 'poison';

async function allResults(api: ServiceProcess, runId: string): Promise<Result[]> {
  const items: Result[] = [];
  let cursor = '';
  do {
    const { body } = await api.get(`/api/v1/retrievals/${runId}/results?limit=100${cursor && `&cursor=${cursor}`}`);
    items.push(...body.data.items);
    cursor = body.data.next_cursor ?? '';
  } while (cursor !== '');
  return items;
}

function checkResults(results: Result[], ids: number): void {
  assert.equal(results.length, ids);
  assert.equal(new Set(results.map(({ case_identifier: one }) => one.number)).size, ids);
  for (const result of results.filter((one) => !isPoison(one))) {
    const { number } = result.case_identifier;
    assert.equal(result.outcome, fateOf(number), `IMM-${number}-25`);
  }
}

interface Ended {
  court: Court;
  ids: number;
  run: { attempts: number };
  results: Result[];
}

/** Audit, attempts and checkpoint against the site's own log. */
function checkFiles(data: (...parts: string[]) => string, runId: string, { court, ids, run, results }: Ended) {
  const names = readdirSync(data('retrievals', runId));
  const read = (kind: RegExp): string =>
    readFileSync(data('retrievals', runId, names.find((name) => kind.test(name)) ?? ''), 'utf8');
  const audit = JSON.parse(read(/^audit_/));
  const attempts = read(/^attempts_/)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Attempt);
  const poison = new Set(results.filter(isPoison).map((one) => one.case_identifier.number));
  const outcomes = { success: 0, 'no-record': 0, failed: poison.size };
  for (const number of new Set(court.asked.map((asked) => asked.number))) {
    if (!poison.has(number)) outcomes[fateOf(number)] += 1;
  }
  assert.deepEqual(
    [audit.total_attempted, audit.success_count, audit.no_record_count, audit.failed_count],
    [ids, outcomes.success, outcomes['no-record'], outcomes.failed],
  );
  assert.deepEqual(
    attempts.map(({ n }) => n),
    attempts.map((_, index) => index + 1),
  );
  assert.equal(attempts.length, audit.attempts);
  assert.equal(run.attempts, audit.attempts);
  for (const number of poison) {
    const seen = attempts.filter(({ job_id }) => job_id === `IMM-${number}-25`).filter(isUnseen);
    assert.ok(seen.length >= 3, `IMM-${number}-25 counts as poison after ${seen.length} crashes`);
  }
  // Every attempt that came to something is one request; one that was killed is one, or none.
  const interrupted = attempts.filter(isUnseen).length;
  const told = attempts.length - interrupted;
  assert.ok(
    told <= court.asked.length && court.asked.length <= attempts.length,
    `${told} ≤ ${court.asked.length} ≤ ${attempts.length}`,
  );
  for (const result of results) checkCase(result, court, attempts);
  const checkpoint = parseCheckpoint(readFileSync(data('checkpoints', runId, 'checkpoint.json'), 'utf8'));
  assert.equal(checkpoint.jobs.length, ids);
  assert.ok(!existsSync(data('checkpoints', runId, 'checkpoint.json.tmp')));
  return { requests: court.asked.length, attempts: attempts.length, interrupted, poison: poison.size, outcomes };
}

/** Between the clocks of two processes. */
const CLOCKS_MS = 50;

/** The same for each case by itself; and nothing is asked for once it is recorded, also within one life of the service. */
function checkCase({ case_identifier: { number }, timestamp }: Result, court: Court, attempts: Attempt[]): void {
  const name = `IMM-${number}-25`;
  const asked = court.asked.filter((one) => one.number === number);
  const tried = attempts.filter(({ job_id }) => job_id === name);
  const told = tried.filter((attempt) => !isUnseen(attempt)).length;
  const isRight = told <= asked.length && asked.length <= tried.length;
  assert.ok(isRight, `${name}: ${told} ≤ ${asked.length} ≤ ${tried.length}`);
  const lastAt = performance.timeOrigin + (asked.at(-1)?.at ?? 0);
  assert.ok(lastAt <= Date.parse(timestamp) + CLOCKS_MS, `${name} was asked for after it was recorded`);
}

interface Attempt {
  n: number;
  job_id: string;
  end: string;
  error: { type: string } | null;
}

const isUnseen = ({ end, error }: Attempt): boolean => end === 'interrupted' || error?.type === 'poison';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The same moments for the same seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
