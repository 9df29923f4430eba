import type { TObject } from '@sinclair/typebox';
import type { Page } from './page.js';

/** When a rendered page has settled enough to be read: the first of these selectors that appears, or the time is up. */
export interface WaitCondition {
  selectors: readonly string[];
  timeoutMs: number;
  /** How often the page is scrolled down, at most, for parts that load only then. Without it: never. */
  scrolls?: number;
}

/** What an adapter read from a page, before normalisation. A missing field is null; never a guess. */
export interface Extraction {
  /** Raw value per field of the adapter; text may still hold tags, entities and odd white space. */
  fields: Record<string, unknown>;
  /** Where each non-null field came from, such as `json-ld`, `microdata`, `meta`, `selector`. */
  provenance: Record<string, string>;
}

/** Who gives out the credentials of a kind of page, and the only sites (registrable domains) that may see them. */
export interface Provider {
  readonly name: string;
  readonly sites: readonly string[];
}

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
  readonly waitFor: WaitCondition;
  /** Whose credentials a visit of its sites takes along, where a credential API is configured. */
  readonly provider?: Provider;
  extract(page: Page): Extraction;
  /** Does this raw HTML already hold what a browser could add? `false` makes `render: auto` open a browser. */
  enough(page: Page): boolean;
}

/** The explicit list of adapters. Adding a kind of page is one file and one line in the list. */
export interface AdapterRegistry {
  get(targetType: string): Adapter | undefined;
  types(): string[];
}

export const fieldsOf = (adapter: Adapter): string[] => Object.keys(adapter.schema.properties);
