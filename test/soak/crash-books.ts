import type { Site } from '../support/site.js';
import {
  changedEnds,
  compareAll,
  type Finding,
  type FindingKind,
  finding,
  type Promised,
  refetchedAfterKill,
  type Telling,
} from './accounts.js';
import type { StoreLook } from './store-copy.js';
import type { Ended, Kind } from './strikes.js';

export interface CrashReport {
  kinds: ReadonlyMap<Kind, number>;
  tasks: number;
  jobs: number;
  webhooks: number;
  /** Requests for work that were sent again, because nobody knew whether they had arrived. */
  resent: number;
  refetched: number;
  wornOut: number;
  integrityOk: number;
  integrityChecks: number;
  /** Longest of each, in ms. */
  slowest: Record<'boot' | 'resume' | 'gone' | 'browserHung' | 'rendererHung' | 'refill' | 'stop', number>;
  findings: readonly Finding[];
}

export const GRACE_SECONDS = 3;
/** Well beyond the grace and the time a browser gets to close: a slow machine is no fault. */
const STOP_MS = GRACE_SECONDS * 1_000 + 10_000;

/** What a run of kills has seen so far, and what was wrong with it. */
export class CrashBooks {
  readonly findings: Finding[] = [];
  readonly kinds = new Map<Kind, number>();
  private readonly ends = new Map<string, string>();
  private readonly slowest: CrashReport['slowest'] = {
    boot: 0,
    resume: 0,
    gone: 0,
    browserHung: 0,
    rendererHung: 0,
    refill: 0,
    stop: 0,
  };
  private readonly counts = { resent: 0, refetched: 0, integrityOk: 0, integrityChecks: 0 };
  private lastKill: { atKill: StoreLook; mark: number } | null = null;

  constructor(private readonly site: Site) {}

  found(kind: FindingKind, what: string): void {
    this.findings.push(finding(kind, what));
  }

  add(findings: readonly Finding[]): void {
    this.findings.push(...findings);
  }

  slow(what: keyof CrashReport['slowest'], ms: number): void {
    this.slowest[what] = Math.max(this.slowest[what], ms);
  }

  struck(kind: Kind): void {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }

  resent(count: number): void {
    this.counts.resent += count;
  }

  stopped({ with: end, tookMs }: Ended): void {
    this.slow('stop', tookMs);
    if (end !== 0) this.found('broken', `SIGTERM ended the service with ${end}`);
    if (tookMs > STOP_MS) this.found('broken', `SIGTERM took ${Math.round(tookMs)} ms`);
  }

  /** The store of a dead service: whole, and with every end it knew before. Answers where the website's log stands. */
  died(atKill: StoreLook): number {
    this.counts.integrityChecks += 1;
    if (atKill.integrity === 'ok') this.counts.integrityOk += 1;
    else this.found('broken', `integrity_check says ${atKill.integrity}`);
    this.add(changedEnds(this.ends, atKill));
    this.judgeRefetches();
    const mark = this.site.requests.length;
    this.lastKill = { atKill, mark };
    return mark;
  }

  /** Of the last kill, once everything has been asked for that it made be asked for again. */
  private judgeRefetches(): void {
    if (!this.lastKill) return;
    const { atKill, mark } = this.lastKill;
    const urls = this.urls();
    const sides = { before: new Set(urls.slice(0, mark)), after: new Set(urls.slice(mark)) };
    const { refetched, findings } = refetchedAfterKill(atKill, sides);
    this.counts.refetched += refetched;
    this.add(findings);
  }

  conclude(promised: Promised, stored: StoreLook, told: readonly Telling[]): CrashReport {
    const { tasks, jobs } = promised;
    this.add(compareAll(promised, { stored, told, requests: countOf(this.urls()) }));
    const sound = new Set(tasks.filter(({ isSound }) => isSound).map(({ id }) => id));
    return {
      kinds: this.kinds,
      tasks: tasks.length,
      jobs: jobs.length,
      webhooks: told.length,
      ...this.counts,
      wornOut: stored.tasks.filter(({ id, status }) => sound.has(id) && status !== 'completed').length,
      slowest: this.slowest,
      findings: this.findings,
    };
  }

  private urls(): string[] {
    return this.site.requests.map(({ host, path }) => `http://${host}${path}`);
  }
}

/** How often each of them is there. */
export function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
