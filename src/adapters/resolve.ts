import type { Extraction, FieldSource, PageNote } from '../domain/adapter.js';
import { cleanText } from '../domain/normalize/text.js';
import type { PageReader } from './readers/page-reader.js';
import type { Thing } from './readers/thing.js';

/**
 * How far each kind of place is to be believed when it speaks alone. Data written for machines says what it means;
 * what is written for people must be understood first. An adapter may know better for a single place.
 */
export const TRUST = {
  'json-ld': 0.95,
  microdata: 0.92,
  rdfa: 0.92,
  hydration: 0.8,
  label: 0.85,
  meta: 0.75,
  link: 0.75,
  address: 0.75,
  selector: 0.7,
  heading: 0.65,
  title: 0.6,
  text: 0.6,
  url: 0.9,
} as const;
export type Source = keyof typeof TRUST;

/** Below this the field is null: silence is better than a doubtful value. */
export const THRESHOLD = 0.5;

/** One place a field may be read from. */
export interface Candidate {
  source: Source;
  trust: number;
  read(): unknown;
}

export const says = (source: Source, read: () => unknown, trust: number = TRUST[source]): Candidate => ({
  source,
  trust,
  read,
});

/** How two values of a field are compared. `never`: they are different tellings of one thing, and the first is taken. */
export type Sameness = ((a: unknown, b: unknown) => boolean) | 'never';

export interface FieldRule {
  candidates: readonly Candidate[];
  /** By their letters and digits, unless told otherwise. */
  sameness?: Sameness;
}

/** All fields, each decided by itself; a field nothing is known about is null. */
export function resolveFields(rules: Record<string, FieldRule>, notes: readonly PageNote[] = []): Extraction {
  const fields: Record<string, unknown> = {};
  const provenance: Record<string, FieldSource> = {};
  for (const [field, rule] of Object.entries(rules)) {
    const decided = resolveField(rule);
    fields[field] = decided?.value ?? null;
    if (decided) provenance[field] = decided.from;
  }
  return { fields, provenance, notes };
}

interface Decided {
  value: unknown;
  from: FieldSource;
}

interface Statement extends Candidate {
  value: unknown;
}

/**
 * Those who say the same stand together: agreement makes them surer, and whoever says otherwise makes them less sure.
 * The surest group wins, with the words of its most trusted member.
 */
export function resolveField({ candidates, sameness = sameWords }: FieldRule): Decided | null {
  if (sameness === 'never') return firstOf(candidates);
  const groups: Statement[][] = [];
  for (const candidate of candidates) {
    const value = candidate.read();
    if (isNothing(value)) continue;
    const statement = { ...candidate, value };
    const group = groups.find(([first]) => sameness(first?.value, value));
    if (group) group.push(statement);
    else groups.push([statement]);
  }
  const [best, second] = groups.map((group) => ({ group, sureness: together(group) })).sort(bySureness);
  if (!best) return null;
  const confidence = best.sureness * (1 - (second?.sureness ?? 0) / 2);
  return confidence < THRESHOLD ? null : decided(best.group, confidence);
}

function firstOf(candidates: readonly Candidate[]): Decided | null {
  for (const { source, trust, read } of candidates) {
    if (trust < THRESHOLD) continue;
    const value = read();
    if (!isNothing(value)) return { value, from: { source, confidence: trust, agreeing: [] } };
  }
  return null;
}

const bySureness = (a: { sureness: number }, b: { sureness: number }): number => b.sureness - a.sureness;

/** A source that repeats itself is no second witness. */
function together(group: readonly Statement[]): number {
  const bySource = new Map<string, number>();
  for (const { source, trust } of group) bySource.set(source, Math.max(trust, bySource.get(source) ?? 0));
  return 1 - [...bySource.values()].reduce((doubt, trust) => doubt * (1 - trust), 1);
}

function decided(group: readonly Statement[], confidence: number): Decided {
  const spokesman = group.reduce((best, statement) => (statement.trust > best.trust ? statement : best));
  const agreeing = [...new Set(group.map(({ source }) => source))].filter((source) => source !== spokesman.source);
  return {
    value: spokesman.value,
    from: { source: spokesman.source, confidence: Math.round(confidence * 100) / 100, agreeing },
  };
}

/** The same letters and digits, or one is the other with something before or behind it. */
export function sameWords(a: unknown, b: unknown): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= 3 && ` ${long} `.includes(` ${short} `);
}

const wordsOf = (value: unknown): string =>
  (cleanText(typeof value === 'string' ? value.slice(0, 2_000) : JSON.stringify(value)) ?? '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The thing the page is about, once from each syntax; the same question is asked of all. */
export type Subject = Readonly<Record<'json-ld' | 'microdata' | 'rdfa', Thing | null>>;

export function findSubject(reader: PageReader, choose: (things: readonly Thing[]) => Thing | null): Subject {
  return { 'json-ld': choose(reader.jsonLd), microdata: choose(reader.microdata), rdfa: choose(reader.rdfa) };
}

export const structured = (subject: Subject, read: (thing: Thing) => unknown): Candidate[] =>
  (['json-ld', 'microdata', 'rdfa'] as const).map((syntax) => {
    const thing = subject[syntax];
    return says(syntax, () => thing && read(thing));
  });

export const isDescribed = (subject: Subject, read: (thing: Thing) => unknown): boolean =>
  structured(subject, read).some((candidate) => !isNothing(candidate.read()));

// `<p></p>` or `-` in structured data must not hide what the page prints elsewhere. The beginning of a text tells.
const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'string' && cleanText(value.slice(0, 10_000)) === null);
