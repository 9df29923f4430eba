import type { ErrorCode, GleanerError } from './errors.js';

/**
 * A task whose visit takes the browser or the whole process down would do so for ever. It fails for good after three
 * crashes of its own, the last two of them with nothing else at work that could be to blame.
 *
 * Most of those who were there when something died had nothing to do with it, and often nobody had: somebody killed the
 * process. So a first crash in company counts for nobody. It only makes suspects, and a suspect shares no browser with
 * others. If the service died, suspects are tried one at a time, among the others, who need not suffer for it; only who
 * was the one suspect when it died again, or was there alone, has everybody else wait.
 *
 *                 in company              the one suspect             alone         alone
 *   unsuspected ─────────────▶ suspect ───────────────────▶ 1 crash ─────────▶ 2 ─────────▶ poison
 *        │  ▲                     │                         ▲  │                │
 *        │  └──── found well ─────┴─────────────────────────┼──┴────────────────┘
 *        └────────────────────── alone ─────────────────────┘
 */
export const POISON_CRASHES = 3;

/** What died while the task was at work in company; `service` outweighs `browser`. */
export type Suspicion = 'browser' | 'service';

/** What is known against a task. */
export interface Charge {
  crashes: number;
  suspicion: Suspicion | null;
}

/** A suspect shares no browser. */
export const needsOwnBrowser = ({ suspicion }: Pick<Charge, 'suspicion'>): boolean => suspicion !== null;

/** Who may be at work in the service beside a task. */
export type Company = 'anybody' | 'no_suspect' | 'nobody';

export function companyOf({ suspicion, crashes }: Charge): Company {
  if (suspicion !== 'service') return 'anybody';
  return crashes === 0 ? 'no_suspect' : 'nobody';
}

/** Whose own crash it was that ended the service, of all that were at work; `null`: it may have been anybody's. */
export function ownCrashOf<T extends Charge>(atWork: readonly T[]): T | null {
  const suspects = atWork.length === 1 ? atWork : atWork.filter(({ suspicion }) => suspicion === 'service');
  return suspects.length === 1 ? suspects[0]! : null;
}

/** One crash of its own too many. */
export const isPoison = ({ crashes }: Pick<Charge, 'crashes'>): boolean => crashes >= POISON_CRASHES;

/**
 * What a task failed with that has no attempt left: after three browsers, the last two of which served nobody else, it
 * is no bad luck any more, and nobody should try it again.
 */
export const lastCode = ({ code }: GleanerError, { crashes }: Pick<Charge, 'crashes'>): ErrorCode =>
  code === 'browser_crashed' && crashes >= POISON_CRASHES - 1 ? 'poison' : code;

/**
 * How long a task rests after a crash of its own. A process that is killed from outside soon after each start
 * would otherwise find the same innocent at work every time; this way the others have their turn first.
 */
export const restAfterCrashMs = (crashes: number): number => (crashes <= 1 ? 2_000 : 30_000);

const CRASHES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['browser_crashed', 'resource_limit']);

/** Has the browser died with this visit? */
export const isBrowserCrash = ({ code }: GleanerError): boolean => CRASHES.has(code);

/** What is known against a task after its browser died; one of its own is a crash of its own. */
export const afterBrowserCrash = ({ suspicion, crashes }: Charge): Charge => ({
  suspicion: suspicion ?? 'browser',
  crashes: crashes + (needsOwnBrowser({ suspicion }) ? 1 : 0),
});

/** A visit has ended, however, and nothing has died: nobody suspects it any more. */
export const afterVisit = ({ crashes }: Charge): Charge => ({ suspicion: null, crashes });

export const POISON_MESSAGE = `Its browser or the service died ${POISON_CRASHES} times while it was visited, in the end with nothing else that could be to blame.`;
