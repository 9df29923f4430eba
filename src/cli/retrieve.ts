import { parseCaseRange } from '../domain/case-identifier.js';
import { GleanerError } from '../domain/errors.js';
import { RETRIEVAL } from '../domain/retrieval.js';
import type { PlannedApi } from '../engine/planned-jobs.js';
import type { PlannedJob } from '../ports/plans.js';
import { createProgress, summaryOf } from './retrieve-progress.js';

export interface RetrieveFlags {
  adapter?: string;
  resume?: string;
  workspace: string;
  stopAfterNoRecords?: number;
  html: boolean;
  verbose?: boolean;
}

/** The service without its door, for as long as the command runs. */
export interface RetrieveHost {
  planned: PlannedApi;
  newRequestId(): string;
  /** Where the records, pages and audit of a run are. */
  filesOf(runId: string): string;
  /** What is being visited may finish. */
  stop(): Promise<void>;
}

export type OpenHost = (options: { isVerbose: boolean }) => Promise<RetrieveHost>;

interface RetrieveParts {
  openHost: OpenHost;
  print: (line: string) => void;
  complain: (line: string) => void;
}

/** 0: every case has its answer. 3: some cases failed. 4: cancelled. 5: it cannot go on and rests. 130: paused by Ctrl-C. */
const EXIT = { done: 0, failed: 3, cancelled: 4, stuck: 5, paused: 130 } as const;

const POLL_MS = 250;

/** One run, from here to its end or to Ctrl-C. Resolves with the exit code. */
export async function retrieve(cases: string | null, flags: RetrieveFlags, parts: RetrieveParts): Promise<number> {
  const wish = cases === null ? null : wishOf(cases, flags);
  if (typeof wish === 'string') {
    parts.complain(`error: the range ${wish}; received ${JSON.stringify(cases)}`);
    return 2;
  }
  const interrupted = listenForInterrupt();
  const host = await parts.openHost({ isVerbose: flags.verbose ?? false });
  try {
    const run = await begin(host, wish, flags.resume ?? '');
    return await follow(host, run, { ...parts, interrupted });
  } catch (error) {
    if (!(error instanceof GleanerError)) throw error;
    parts.complain(`error: ${error.message}`);
    for (const { field, message, value } of error.fields ?? []) {
      parts.complain(`  ${field} ${message}; received ${JSON.stringify(value)}`);
    }
    return error.code === 'validation_failed' ? 2 : 1;
  } finally {
    await host.stop();
    interrupted.end();
  }
}

async function begin(host: RetrieveHost, wish: object | null, runId: string): Promise<PlannedJob> {
  if (wish === null) {
    const known = await host.planned.find(runId, RETRIEVAL).catch(() => null);
    // A run that was killed goes on by itself; one that is over has only to be told of.
    const isTold = known && (known.paused === null || known.job.completedAt !== null);
    return isTold ? known : host.planned.resume(runId, RETRIEVAL);
  }
  const caller = { requestId: host.newRequestId(), traceparent: null };
  return (await host.planned.open({ kind: RETRIEVAL, wish, callbackUrl: null }, caller)).planned;
}

/** A text says what is wrong with the range. */
function wishOf(cases: string, flags: RetrieveFlags): object | string {
  const range = cases.includes('..') ? parseCaseRange(cases) : null;
  if (typeof range === 'string') return range;
  return {
    adapter: flags.adapter ?? '',
    workspaceId: flags.workspace,
    prefix: range?.prefix ?? null,
    year: range?.year ?? null,
    range: range && { from: range.from, to: range.to },
    identifiers: range ? null : cases.split(',').map((part) => part.trim()),
    render: null,
    stopAfterNoRecords: flags.stopAfterNoRecords ?? null,
    saveHtml: flags.html,
  };
}

interface Following extends RetrieveParts {
  interrupted: { signal: AbortSignal };
}

async function follow(
  host: RetrieveHost,
  run: PlannedJob,
  { print, complain, interrupted }: Following,
): Promise<number> {
  const { id } = run.job;
  const progress = createProgress(run, { print });
  print(`run ${id}`);
  for (;;) {
    const now = await host.planned.find(id, RETRIEVAL);
    const isResting = now.paused !== null && now.job.completedAt === null;
    progress.show(now, now.job.completedAt !== null || isResting || interrupted.signal.aborted);
    if (now.job.completedAt !== null) {
      return tell(host, now, print);
    }
    if (isResting || interrupted.signal.aborted) return rest(host, now, { print, complain });
    await pause(POLL_MS, interrupted.signal);
  }
}

async function rest(
  host: RetrieveHost,
  { job, paused }: PlannedJob,
  { print, complain }: Pick<RetrieveParts, 'print' | 'complain'>,
): Promise<number> {
  if (paused !== null) complain(`The run rests: ${paused}`);
  else if (!(await isPaused(host, job.id))) return tell(host, await host.planned.find(job.id, RETRIEVAL), print);
  print(`paused; go on with: npx gleaner retrieve --resume ${job.id}`);
  return paused === null ? EXIT.paused : EXIT.stuck;
}

/** `false`: it came to its end meanwhile. */
async function isPaused(host: RetrieveHost, id: string): Promise<boolean> {
  try {
    await host.planned.pause(id, RETRIEVAL);
    return true;
  } catch (error) {
    if (error instanceof GleanerError && error.code === 'run_over') return false;
    throw error;
  }
}

function tell(host: RetrieveHost, run: PlannedJob, print: RetrieveParts['print']): number {
  print(summaryOf(run));
  print(`files: ${host.filesOf(run.job.id)}`);
  return exitOf(run);
}

function exitOf({ job }: PlannedJob): number {
  if (job.status === 'cancelled') return EXIT.cancelled;
  return job.counts.failed === 0 ? EXIT.done : EXIT.failed;
}

/** The first signal lets the run rest; a second one ends the process at once, and the next start goes on. */
function listenForInterrupt(): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.paused);
    controller.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt);
  const end = (): void => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt);
  };
  return { signal: controller.signal, end };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
