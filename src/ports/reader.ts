import type { FieldSource, Format, PageNote } from '../domain/adapter.js';
import type { Page, PageVerdict } from '../domain/page.js';
import type { Appearance } from '../domain/render-experience.js';
import type { Quality } from '../domain/task.js';

/** What a page said, cleaned and valid, and why we believe it. */
export interface Reading {
  record: Record<string, unknown>;
  quality: Quality;
  provenance: Record<string, FieldSource>;
  dropped: string[];
  notes: PageNote[];
}

export interface ReadingWish {
  /** Of an adapter that is there. */
  targetType: string;
  /** Epoch milliseconds: nothing was published later than this. */
  now: number;
  formats: readonly Format[];
  /** Would a browser take over where this page does not hold enough? Then what it lacks is told. */
  mayEscalate: boolean;
}

/** Raw HTML without what the adapter needs, and what it looks like. */
export interface Lack {
  appearance: Appearance;
  /** What about it speaks for a browser, if anything does. */
  sign: string | null;
}

/** What a page came to. */
export interface PageReading {
  contentHash: string;
  verdict: PageVerdict;
  /** What a browser may help with. Only where that was asked. */
  lack: Lack | null;
  /** `null` where there is no content; and on a page that lacks something, where the adapter failed on it. */
  reading: Reading | null;
}

/**
 * Reads one page: judge → enough → extract → normalize. Everything comes from the arguments, so that it may happen in
 * another thread. Rejects only with GleanerError: `extraction_failed` where the adapter failed or the page is more than
 * can be read, or the signal's reason, promptly, when it aborts.
 */
export interface Reader {
  read(page: Page, wish: ReadingWish, signal: AbortSignal): Promise<PageReading>;
}
