import type { Extraction } from '../domain/adapter.js';
import { cleanText } from '../domain/normalize/text.js';
import type { PageReader } from './readers/page-reader.js';
import type { Thing } from './readers/thing.js';

/** One place a field may be read from, and how. Later ones are asked only when earlier ones give nothing. */
export type Candidate = readonly [source: string, read: () => unknown];

/** The first candidate of each field that gives something, and its source. */
export function pickFields(candidates: Record<string, readonly Candidate[]>): Extraction {
  const fields: Record<string, unknown> = {};
  const provenance: Record<string, string> = {};
  for (const [field, places] of Object.entries(candidates)) {
    fields[field] = null;
    for (const [source, read] of places) {
      const value = read();
      if (isNothing(value)) continue;
      fields[field] = value;
      provenance[field] = source;
      break;
    }
  }
  return { fields, provenance };
}

/** The thing the page is about, once from each syntax; the same question is asked of both. */
export interface Subject {
  jsonLd: Thing | null;
  microdata: Thing | null;
}

export function findSubject(reader: PageReader, choose: (things: readonly Thing[]) => Thing | null): Subject {
  return { jsonLd: choose(reader.jsonLd), microdata: choose(reader.microdata) };
}

export const structured = (subject: Subject, read: (thing: Thing) => unknown): Candidate[] => [
  ['json-ld', () => subject.jsonLd && read(subject.jsonLd)],
  ['microdata', () => subject.microdata && read(subject.microdata)],
];

export const isDescribed = (subject: Subject, read: (thing: Thing) => unknown): boolean =>
  structured(subject, read).some(([, value]) => !isNothing(value()));

// `<p></p>` or `-` in structured data must not hide what the page prints elsewhere. The beginning of a text tells.
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'string' && cleanText(value.slice(0, 10_000)) === null);
