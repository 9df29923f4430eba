import { createHash, timingSafeEqual } from 'node:crypto';

export type KeyCheck = (presented: string | undefined) => boolean;

/**
 * Is this one of the configured keys? Both sides are hashed, so that lengths are equal and say nothing, and every
 * configured key is compared: the time taken tells neither which key matched nor how much of one.
 */
export function serviceKeyCheck(keys: readonly string[]): KeyCheck {
  const digests = keys.filter((key) => key !== '').map(digest);
  return (presented) => {
    if (presented === undefined) return false;
    const candidate = digest(presented);
    let matches = 0;
    for (const known of digests) matches += timingSafeEqual(candidate, known) ? 1 : 0;
    return matches > 0;
  };
}

/** The key of a request, or undefined when there is none or more than one: which of two was meant is not ours to guess. */
export function presentedKey(rawHeaders: readonly string[]): string | undefined {
  const values = headerValues(rawHeaders, 'x-service-key');
  return values.length === 1 ? values[0] : undefined;
}

/** Every value of a header as it was sent. Node's `headers` joins or drops repeated ones, which hides the repetition. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!;
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  }
  return values;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
