import { timingSafeEqual } from 'node:crypto';

export type KeyCheck = (presented: string | undefined) => boolean;

/**
 * Is this one of the configured keys? Both sides fill up the same length, and every configured key is compared: the
 * time taken tells neither which key matched nor how much of one. Most requests are made with the right key, and a hash
 * would cost each of them several times as much.
 */
export function serviceKeyCheck(keys: readonly string[]): KeyCheck {
  const known = keys.filter((key) => key !== '').map((key) => fillUp(blank(), key));
  const candidate = blank();
  return (presented) => {
    if (presented === undefined || presented === '' || presented.length > MOST_CHARACTERS) return false;
    fillUp(candidate, presented);
    let matches = 0;
    for (const key of known) matches += timingSafeEqual(candidate, key) ? 1 : 0;
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

/** As long as the longest key that can be configured. */
const MOST_CHARACTERS = 256;

/** Its length and its characters, two bytes each: no two texts look the same. */
function fillUp(into: Buffer, text: string): Buffer {
  into.fill(0);
  into.writeUInt16LE(Math.min(text.length, 0xffff));
  into.write(text, 2, 'utf16le');
  return into;
}

const blank = (): Buffer => Buffer.alloc(2 + 2 * MOST_CHARACTERS);
