import type { TObject } from '@sinclair/typebox';
import type { Page, PageVerdict } from './page.js';

/** When a rendered page has settled enough to be read: the first of these selectors that appears, or the time is up. */
export interface WaitCondition {
  selectors: readonly string[];
  timeoutMs: number;
  /** How often the page is scrolled down, at most, for parts that load only then. Without it: never. */
  scrolls?: number;
}

/** Where the value of a field came from, and how sure we are of it. */
export interface FieldSource {
  /** The reader that gave it, such as `json-ld`, `microdata`, `label`, `heading`. */
  source: string;
  /** Between 0 and 1; what is below the threshold is never shown. */
  confidence: number;
  /** The other readers that say the same. */
  agreeing: string[];
}

/** What a page turned out to be when it was not one item of the wanted kind. */
export const PAGE_NOTES = ['several_items', 'other_subject', 'no_record'] as const;
export type PageNote = (typeof PAGE_NOTES)[number];

/** What an adapter read from a page, before normalisation. A missing field is null; never a guess. */
export interface Extraction {
  /** Raw value per field of the adapter; text may still hold tags, entities and odd white space. */
  fields: Record<string, unknown>;
  /** Of every field that is not null. */
  provenance: Record<string, FieldSource>;
  notes: readonly PageNote[];
}

/** Shapes of a page's content that cost something to make, and are made only when asked for. */
export const FORMATS = ['text', 'markdown', 'links', 'html', 'screenshot'] as const;
export type Format = (typeof FORMATS)[number];

/** What is brought when a task does not say. */
export const DEFAULT_FORMATS: readonly Format[] = ['text'];

export interface ReadingOptions {
  /** Epoch milliseconds: nothing was published later than this. */
  now: number;
  /** Which of the adapter's formats are wanted. */
  formats: ReadonlySet<Format>;
}

/** Who gives out the credentials of a kind of page, and the only sites (registrable domains) that may see them. */
export interface Provider {
  readonly name: string;
  readonly sites: readonly string[];
}

/**
 * What raw HTML looks like where scripts are to bring the content: an empty place for it, state without data, a note that
 * scripts are needed, a title that is still loading, hardly a word beside scripts, or a page that only sends on.
 */
export const SCRIPT_SIGNS = [
  'empty_mount',
  'empty_state',
  'noscript_note',
  'loading',
  'hardly_any_text',
  'refresh',
] as const;
export type ScriptSign = (typeof SCRIPT_SIGNS)[number];

/**
 * Knowledge about one kind of page. Everything here is pure: the same page gives the same answer, and nothing throws
 * for a page that lacks something. `page.html` may be hostile, huge or broken.
 */
export interface Adapter {
  readonly targetType: string;
  /** Raised whenever the same bytes may give another record. */
  readonly version: string;
  /** The output record; every property nullable. Its keys are the fields that may be requested. */
  readonly schema: TObject;
  /** The field without which a record of this kind is only part of one. */
  readonly keyField: string;
  readonly waitFor: WaitCondition;
  /** The formats it can give, each a field of its record. Without it: none. */
  readonly formats?: readonly Format[];
  /** Whose credentials a visit of its sites takes along, where a credential API is configured. */
  readonly provider?: Provider;
  /** What of the query of its addresses is posted as a form. Without it: nothing, and its pages are asked for with GET. */
  readonly form?: readonly string[];
  /** Is this one of its pages? For adapters that know it better than what is known of all pages; `null` leaves it to that. */
  judge?(page: Page): PageVerdict | null;
  extract(page: Page, options: ReadingOptions): Extraction;
  /** Does this raw HTML already hold what the adapter needs? If not, `render: auto` thinks about a browser. */
  enough(page: Page): boolean;
  /** What about this raw HTML says that scripts would fill it; `null` if nothing does. */
  scriptSign(page: Page): ScriptSign | null;
}

/** The explicit list of adapters. Adding a kind of page is one file and one line in the list. */
export interface AdapterRegistry {
  get(targetType: string): Adapter | undefined;
  types(): string[];
}

export const fieldsOf = (adapter: Adapter): string[] => Object.keys(adapter.schema.properties);
