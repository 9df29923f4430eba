import type { ReadingOptions } from '../../src/domain/adapter.js';
import type { Page } from '../../src/domain/page.js';

/** How pages are read in tests, unless it matters. */
export const READING: ReadingOptions = { now: Date.UTC(2026, 0, 1), formats: new Set(['text']) };

/** A page as a fetch would bring it. */
export function pageOf(html: string, over: Partial<Page> = {}): Page {
  const url = over.url ?? over.finalUrl ?? 'https://site.test/page';
  return {
    url,
    finalUrl: url,
    httpStatus: 200,
    headers: {},
    contentType: 'text/html',
    html,
    bytes: Buffer.byteLength(html),
    renderedBy: 'http',
    redirects: [],
    ...over,
  };
}

export const jsonLd = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`;
