import { REDACTED } from '../domain/secret.js';
import { type Scrubber, shorten } from './scrubber.js';
import { isSecretName } from './secret-patterns.js';
import { VOCABULARY } from './vocabulary.js';

/** One write of this size reaches a pipe in few pieces, and every log collector takes such a line. */
export const MAX_LINE_BYTES = 16 * 1024;

type Entry = Record<string, unknown>;

/**
 * The last step of every log line: secrets out, then not too long, and valid JSON in any case. An ordinary line costs
 * one pass and leaves as it came. One that may hold a secret is taken apart and scrubbed string by string; scrubbing
 * the serialised text could cut an escape sequence in half or run on into the next field.
 */
export function finishLine(line: string, scrubber: Scrubber): string {
  const suspect = scrubber.suspects(line);
  if (!suspect && fits(line)) return line;
  const entry = JSON.parse(line) as Entry;
  const clean = suspect ? scrubEntry(entry, scrubber) : entry;
  const text = JSON.stringify(clean);
  return `${fits(text) ? text : cutToFit(clean)}\n`;
}

function scrubEntry(entry: Entry, scrubber: Scrubber): Entry {
  const { level, timestamp, ...others } = entry;
  // These two cannot hold anything but what the logger put there.
  return { level, timestamp, ...(scrubValue(others, scrubber) as Entry) };
}

function scrubValue(value: unknown, scrubber: Scrubber): unknown {
  if (typeof value === 'string') return scrubber.scrub(value);
  // A secret of digits may have been logged as a number.
  if (typeof value === 'number') return scrubber.scrub(String(value)) === String(value) ? value : REDACTED;
  if (Array.isArray(value)) return value.map((each) => scrubValue(each, scrubber));
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).map(([key, each]) => {
    const name = VOCABULARY.has(key) ? key : scrubber.scrub(key);
    // By name once more: the bindings of a child logger come straight here.
    const secret = isSecretName(key) && each !== null && typeof each !== 'boolean';
    return [name, secret ? REDACTED : scrubValue(each, scrubber)];
  });
  return Object.fromEntries(pairs);
}

/** Strings and lists get shorter until the line fits; if that does not do, only our own fields stay. */
function cutToFit(entry: Entry): string {
  for (const limit of [1024, 256, 64]) {
    const text = JSON.stringify({ ...(lessOf(entry, limit) as Entry), truncated: true });
    if (fits(text)) return text;
  }
  const ours = [...VOCABULARY].filter((key) => entry[key] !== undefined).map((key) => [key, lessOf(entry[key], 64)]);
  return JSON.stringify({ ...Object.fromEntries(ours), truncated: true });
}

function lessOf(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return shorten(value, limit);
  if (Array.isArray(value)) return value.slice(0, limit / 16).map((each) => lessOf(each, limit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, lessOf(each, limit)]));
}

/** A UTF-16 unit is at most three bytes, so most lines need not be counted. */
const fits = (text: string): boolean => text.length * 3 < MAX_LINE_BYTES || Buffer.byteLength(text) < MAX_LINE_BYTES;
