import type { ErrorCode, GleanerError } from './errors.js';

/**
 * A task whose visit takes the browser or the whole process down would do so for ever. It fails for good after three
 * crashes of its own: each happened while nothing else was at work there.
 *
 * Most of those who were there when something died had nothing to do with it, and often nobody had: somebody killed the
 * process. So a crash in company counts for nobody. It only makes suspects, and a suspect is tried where it cannot share
 * the blame: in a browser of its own, and if the service died, with nobody else at work in it.
 *
 *              in company                       alone                alone
 *   (nobody) ─────────────▶ suspect, 0 crashes ───────▶ 1 … 2 crashes ───────▶ poison
 *      └───────────────────────── alone ─────────────────▲
 */
export const POISON_CRASHES = 3;

/** What died while the task was at work in company; `service` outweighs `browser`. */
export type Suspicion = 'browser' | 'service';

/** Was anybody else there who may be to blame? */
export type Crash = 'in_company' | 'alone';

/** What is known against a task. */
interface Charge {
  crashes: number;
  suspicion: Suspicion | null;
}

/** A suspect shares no browser. */
export const needsOwnBrowser = ({ suspicion }: Pick<Charge, 'suspicion'>): boolean => suspicion !== null;

/** Nobody else may be at work in the service beside it. */
export const needsSolitude = ({ suspicion }: Pick<Charge, 'suspicion'>): boolean => suspicion === 'service';

/** One more crash of its own would be the last. */
export const isLastTry = ({ crashes }: Pick<Charge, 'crashes'>): boolean => crashes >= POISON_CRASHES - 1;

/**
 * How long a task rests after the service died on it alone. A process that is killed from outside soon after each start
 * would otherwise find the same innocent at work every time; this way the others have their turn first.
 */
export const restAfterCrashMs = (crashes: number): number => (crashes <= 1 ? 2_000 : 30_000);

const CRASHES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['browser_crashed', 'resource_limit']);

/** What a failed visit says about its browser; `null`: that has not died. */
export function browserCrash({ code }: GleanerError, task: Pick<Charge, 'suspicion'>): Crash | null {
  if (!CRASHES.has(code)) return null;
  return needsOwnBrowser(task) ? 'alone' : 'in_company';
}

export const POISON_MESSAGE = `Its browser or the service died ${POISON_CRASHES} times while nothing else could be to blame.`;
