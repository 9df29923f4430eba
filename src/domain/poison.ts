import type { ErrorCode, GleanerError } from './errors.js';

/**
 * A task whose visit takes the browser or the whole process down would do so for ever: it is tried until it has been
 * there three times, and then it fails for good.
 *
 * Whoever else was there when it happened is counted, too, so suspicion is narrowed down from one crash to the next:
 * after the first the task gets a browser of its own, fresh and for one visit; after the second it is also the only
 * one of its kind that runs. A bystander is therefore found well as soon as it is alone.
 */
export const POISON_CRASHES = 3;

/** From the first crash on a task shares no browser. */
export const needsOwnBrowser = ({ crashes }: { crashes: number }): boolean => crashes > 0;

/** One more crash would be the last: nobody else in that position may run beside it. */
export const isLastTry = ({ crashes }: { crashes: number }): boolean => crashes >= POISON_CRASHES - 1;

const CRASHES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['browser_crashed', 'resource_limit']);

export const isCrash = ({ code }: GleanerError): boolean => CRASHES.has(code);

export const POISON_MESSAGE = `The task was being visited ${POISON_CRASHES} times when its browser or the service died.`;
