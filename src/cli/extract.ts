import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { FieldSource, Format, PageNote } from '../domain/adapter.js';

export interface OfflineCase {
  bytes: Uint8Array;
  url: string;
  targetType: string;
  formats: readonly Format[] | null;
  now: number;
}

export interface OfflineAnswer {
  status: 'ok' | 'partial' | 'blocked' | 'empty' | 'failed';
  record: Record<string, unknown> | null;
  provenance: Record<string, FieldSource>;
  dropped: string[];
  notes: PageNote[];
  /** The error's code and what it was known by, where there is no record. */
  code: string | null;
  reason: string | null;
}

export type ExtractOffline = (one: OfflineCase) => OfflineAnswer;

export interface ExtractParts {
  extractOffline: ExtractOffline;
  now: number;
  print: (line: string) => void;
}

/** Stands for an address that is not known; nothing is ever read from it. */
export const NO_ADDRESS = 'https://page.invalid/';

/** No page of the web was ever saved from `about:blank` or `file:///…`, and nothing can be read from such an address. */
export const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** A list of saved pages, one JSON line in, one JSON line out, in the same order. Resolves with what was wrong. */
export async function extractCases(file: string, { extractOffline, now, print }: ExtractParts): Promise<string[]> {
  const faults: string[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    const text = line.replace(/^\ufeff/, '').trim();
    if (text === '') continue;
    let page: unknown = null;
    try {
      const given = readObject(text);
      page = given.page ?? null;
      const { file: path, url, targetType } = readCase(given);
      const bytes = await readFile(path);
      const { status, record } = extractOffline({ bytes, url, targetType, formats: null, now });
      print(JSON.stringify({ page, status, record }));
    } catch (error) {
      faults.push(`${file}:${number}: ${(error as Error).message}`);
      // One line for one line, so that nobody has to count.
      print(JSON.stringify({ page, status: 'failed', record: null }));
    }
  }
  return faults;
}

interface CaseLine {
  file: string;
  url: string;
  targetType: string;
}

function readObject(text: string): Record<string, unknown> {
  const given: unknown = JSON.parse(text);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('Not a JSON object.');
  return given as Record<string, unknown>;
}

function readCase({ file, url, target_type }: Record<string, unknown>): CaseLine {
  if (typeof file !== 'string') throw new Error('"file" must name a file.');
  if (typeof target_type !== 'string') throw new Error('"target_type" must be a string.');
  const address = url ?? NO_ADDRESS;
  if (typeof address !== 'string' || !isWebAddress(address))
    throw new Error('"url" must be an absolute http or https URL.');
  return { file, url: address, targetType: target_type };
}

/** One saved page, for people: every field with its value and where it came from. */
export async function extractOne(
  file: string,
  { url, targetType, formats }: { url: string; targetType: string; formats: readonly Format[] | null },
  { extractOffline, now, print }: ExtractParts,
): Promise<OfflineAnswer> {
  const answer = extractOffline({ bytes: await readFile(file), url, targetType, formats, now });
  print(`status: ${answer.status}${answer.code === null ? '' : ` (${answer.code}: ${answer.reason})`}`);
  if (answer.notes.length > 0) print(`notes: ${answer.notes.join(', ')}`);
  if (answer.dropped.length > 0) print(`found but not valid: ${answer.dropped.join(', ')}`);
  for (const [field, value] of Object.entries(answer.record ?? {})) {
    print(`${field}: ${shown(value)}${origin(answer.provenance[field])}`);
  }
  return answer;
}

const MOST_SHOWN = 300;

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}… (${text.length} characters)` : text;
}

function origin(from: FieldSource | undefined): string {
  if (!from) return '';
  const others = from.agreeing.length === 0 ? '' : `, also ${from.agreeing.join(', ')}`;
  return `\n    ${from.source} (${from.confidence}${others})`;
}
