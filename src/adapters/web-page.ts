import {
  type Adapter,
  type Extraction,
  type FieldSource,
  FORMATS,
  type Format,
  type ReadingOptions,
} from '../domain/adapter.js';
import type { Page } from '../domain/page.js';
import { WebPageResult } from '../domain/records.js';
import { metaLanguage, rootLanguage, sameLanguage } from './readers/language.js';
import { pageLinks } from './readers/links.js';
import { mainContent } from './readers/main-content.js';
import { pageMarkdown } from './readers/markdown.js';
import { type PageReader, readPage } from './readers/page-reader.js';
import { cutWhole } from './readers/plain-text.js';
import { publishedAt } from './readers/published.js';
import { structuredData } from './readers/structured-view.js';
import { isA, type Thing, textOf } from './readers/thing.js';
import { ORGANIZATION_TYPES, SITE_TYPES } from './readers/vocabulary.js';
import { type Candidate, resolveFields, says } from './resolve.js';
import { isFilled } from './script-shell.js';
import { scriptSign } from './script-sign.js';
import { titleCandidates } from './web-page-title.js';

/**
 * A page of any kind: what it is called, when and in which language it was written, and what it says. The contents cost
 * something to make, so only the formats that are asked for are made. The picture is taken where the page is fetched.
 */
export const webPage: Adapter = {
  targetType: 'web_page',
  version: '1',
  schema: WebPageResult,
  keyField: 'title',
  waitFor: { selectors: ['main', 'article', '[role="main"]', 'h1', 'p'], timeoutMs: 3_000 },
  formats: FORMATS,

  extract(page, options) {
    const reader = readPage(page);
    const about = resolveFields({
      title: { candidates: titleCandidates(reader) },
      description: { candidates: descriptionCandidates(reader), sameness: 'never' },
      canonical_url: { candidates: [says('url', () => reader.ownUrl)] },
      language: {
        candidates: [says('meta', () => rootLanguage(reader)), says('meta', () => metaLanguage(reader))],
        sameness: sameLanguage,
      },
      published_at: publishedAt(reader, options.now),
    });
    return withContents(about, { structured_data: structuredData(reader), ...contentsOf(reader, options) });
  },

  enough(page) {
    const reader = readPage(page);
    const key = (): unknown => {
      const { isFrameOnly, text } = mainContent(reader);
      return !isFrameOnly && text.length >= WORTH_READING ? 'text' : null;
    };
    return isFilled(reader, { structured: isAboutSomething(reader), key });
  },

  scriptSign: (page) => scriptSign(readPage(page)),
};

const WORTH_READING = 200;

/** What the page itself holds needs no witness. */
function withContents({ fields, provenance, notes }: Extraction, contents: Record<string, unknown>): Extraction {
  const held = Object.entries(contents).filter(([, content]) => content !== null && content !== '');
  const sources = held.map(([field]): [string, FieldSource] => [
    field,
    { source: 'page', confidence: 1, agreeing: [] },
  ]);
  return {
    fields: { ...fields, ...Object.fromEntries(held) },
    provenance: { ...provenance, ...Object.fromEntries(sources) },
    notes,
  };
}

function contentsOf(reader: PageReader, { formats }: ReadingOptions): Partial<Record<Format, unknown>> {
  const make: Partial<Record<Format, () => unknown>> = {
    text: () => mainContent(reader).text,
    markdown: () => pageMarkdown(reader),
    links: () => pageLinks(reader),
    html: () => htmlOf(reader.page),
  };
  return Object.fromEntries([...formats].map((format) => [format, make[format]?.() ?? null]));
}

const MAX_HTML = 2_000_000;

/** As it was received, up to a size that can be stored and sent. */
const htmlOf = (page: Page): string => cutWhole(page.html, MAX_HTML);

const descriptionCandidates = (reader: PageReader): Candidate[] => [
  says('meta', () => reader.meta('description')),
  says('meta', () => reader.meta('og:description', 'twitter:description', 'dc.description')),
  says('json-ld', () =>
    textOf(theOnlyOne(reader.jsonLd.filter((thing) => textOf(thing, 'headline') !== null)), 'description'),
  ),
];

const theOnlyOne = (things: readonly Thing[]): Thing | null => (things.length === 1 ? (things[0] ?? null) : null);

/** Structured data of something beside the site, its owner and the way to this page. */
const isAboutSomething = (reader: PageReader): boolean =>
  [...reader.jsonLd, ...reader.microdata, ...reader.rdfa].some(
    (thing) =>
      thing.props.size >= 2 && !isA(thing, SITE_TYPES) && !isA(thing, ORGANIZATION_TYPES) && !isA(thing, PARTS),
  );

const PARTS: ReadonlySet<string> = new Set(
  'BreadcrumbList ImageObject SearchAction WPHeader WPFooter SiteNavigationElement PostalAddress ItemList'.split(' '),
);
