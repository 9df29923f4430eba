import type { TObject } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type ValueKind, valueKind } from '../records.js';
import { canonicalUrl } from './canonical-url.js';
import { normalizeEmail, normalizePhone } from './contact.js';
import { jsonCopy } from './json-copy.js';
import { normalizePlace } from './location.js';
import { cleanText } from './text.js';

export interface NormalizedRecord {
  /** Every field of the schema, and no other. */
  record: Record<string, unknown>;
  /** What was found but could not be made valid. */
  dropped: string[];
}

/**
 * Raw fields in, a record that satisfies the schema out, whatever the fields hold. A field that was not found is null;
 * one that was found but cannot be made valid is null too, and named in `dropped`.
 */
export function normalizeRecord(schema: TObject, fields: Record<string, unknown>): NormalizedRecord {
  const record: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [field, property] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(fields, field) ? fields[field] : null;
    const value = normalizeValue(valueKind(schema, field), given);
    const isValid = value === null || (value !== undefined && Value.Check(property, value));
    record[field] = isValid ? value : null;
    if (!isValid) dropped.push(field);
  }
  return { record, dropped };
}

/** Only what was asked for, in the order of the record; `null` asks for everything. */
export function selectFields<T>(record: Record<string, T>, requested: string[] | null): Record<string, T> {
  if (requested === null) return record;
  const wanted = new Set(requested);
  return Object.fromEntries(Object.entries(record).filter(([field]) => wanted.has(field)));
}

/** `null`: nothing was there. `undefined`: something was, and it is of no use. */
function normalizeValue(kind: ValueKind, given: unknown): unknown {
  if (given === null || given === undefined) return null;
  if (kind === 'other') return given === '' ? null : jsonCopy(given);
  if (kind === 'location' && typeof given === 'object') return normalizePlace(given);
  const text = asText(given);
  if (text === undefined) return undefined;
  // A URL is not text: decoding entities in `?a=1&copy=2` would break it.
  if (kind === 'url') return text.trim() === '' ? null : (canonicalUrl(text) ?? undefined);
  const clean = cleanText(text);
  if (clean === null) return null;
  if (kind === 'email') return stillClean(normalizeEmail(clean));
  if (kind === 'phone') return stillClean(normalizePhone(clean));
  return kind === 'location' ? normalizePlace(clean) : clean;
}

// Links write their text in percent signs, and whatever those hide comes to light only when they are read.
const stillClean = (text: string | null): string | undefined =>
  text !== null && cleanText(text) === text ? text : undefined;

function asText(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  return typeof given === 'number' && Number.isFinite(given) ? String(given) : undefined;
}
