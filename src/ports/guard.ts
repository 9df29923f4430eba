import type { BrowserEngine } from '../domain/browser-engine.js';
import type { GleanerError } from '../domain/errors.js';
import type { RobotsEvidence } from '../domain/robots.js';
import type { Credential } from './credentials.js';
import type { HopVerdict, Identity, Pace, ProxyChoice } from './fetcher.js';

/** What is about to be visited, and what the guards have settled about it so far. Guards fill in their own line. */
export interface VisitPlan {
  taskId: string;
  url: string;
  /** What of its query is posted as a form; `null`: it is asked for with GET. */
  form: readonly string[] | null;
  domain: string;
  workspaceId: string;
  needs: 'http' | 'browser';
  /** What its policy demands of the browser, should it take one. From the browser guard. */
  engine: BrowserEngine | null;
  /** Whose credentials this URL may see; `null` for nobody's. */
  provider: string | null;
  robots: RobotsEvidence | null;
  /** May the visit follow a redirect to this URL without being asked about it anew? From the robots guard. */
  mayFollow: ((url: URL) => HopVerdict) | null;
  credential: Credential | null;
  pace: Pace | null;
  proxy: ProxyChoice | null;
  identity: Identity | null;
  /** As whom the visit came to this domain before: a browser that goes on after plain HTTP is still the same visitor. */
  earlier: Visitor | null;
}

/** Who comes, and which way; the one fits the other. */
export interface Visitor {
  identity: Identity;
  proxy: ProxyChoice | null;
}

/**
 * `go`: on to the next guard. `wait`: not before `until` (monotonic ms); nothing is held meanwhile. Usually the
 * whole lane waits with it (`holds`), since what makes one of its tasks wait makes all of them. `expected` is when it
 * will really be time, where `until` only says when to look again.
 * `no`: the task ends as the table of errors says: failed, or tried again.
 */
export type Verdict =
  | { kind: 'go'; release?: () => void }
  | { kind: 'wait'; until: number; reason: string; holds?: 'domain' | 'task'; expected?: number }
  | { kind: 'no'; error: GleanerError };

/** How the visit went, as far as reputation is concerned: `null` is success. */
export type VisitResult = { error: GleanerError | null };

/**
 * One question asked before a visit. Guards run in the order of their list and stop at the first that is not `go`;
 * then the `release` of every earlier `go` is called (last first), so a guard that hands out something scarce (a probe,
 * a concurrency place) gets it back. After a visit that did start, `after` is called instead, exactly once.
 */
export interface Guard {
  readonly name: string;
  check(plan: VisitPlan, signal: AbortSignal): Verdict | Promise<Verdict>;
  after?(plan: VisitPlan, result: VisitResult): void;
}
