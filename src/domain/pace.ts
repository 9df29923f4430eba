import type { DomainPolicy } from './policy.js';

/** A pause between two actions on a page: whole milliseconds, every one of the range as likely as any other. */
export function actionDelayMs(range: DelayRange, random: () => number): number {
  const least = Math.ceil(range.minDelayMs);
  const most = Math.floor(range.maxDelayMs);
  if (most <= least) return least;
  return least + Math.floor(random() * (most - least + 1));
}

export type DelayRange = Pick<DomainPolicy, 'minDelayMs' | 'maxDelayMs'>;
