/** Nobody is waited for longer than a day, whatever the header says. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * What a `Retry-After` header asks for, in milliseconds from now: seconds or an HTTP date (RFC 9110 §10.2.3).
 * A date that has passed is 0; `undefined` means that there is nothing readable.
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return clamp(Math.ceil(Number(text) * 1000));
  // Date.parse reads almost anything ("7 apples" is a date to it), so only the three shapes of the RFC get that far.
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : clamp(at - nowMs);
}

const HTTP_DATE = /^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? .*\d\d:\d\d:\d\d/;

const clamp = (ms: number): number => Math.min(Math.max(0, ms), LONGEST_MS);
