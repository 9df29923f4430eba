import { type Candidate, type FieldRule, says } from '../resolve.js';
import { isElement, walk } from './dom.js';
import type { PageReader } from './page-reader.js';
import { type PrintedDate, readDate } from './published-date.js';
import { isA, type Thing, textOf } from './thing.js';

/**
 * When the page says it was published. Where its witnesses contradict each other nobody is believed: one of them means
 * the day of a change, of the template, or of another page.
 */
export function publishedAt(reader: PageReader, now: number): FieldRule {
  const witnesses = witnessesOf(reader).flatMap(({ read, ...witness }) => {
    const printed = read();
    const date = typeof printed === 'string' ? readDate(printed) : null;
    return date !== null && isCredible(date, now) ? [{ ...witness, date }] : [];
  });
  const first = witnesses[0]?.date;
  if (!first || witnesses.some(({ date }) => !isSame(first, date))) return { candidates: [] };
  return {
    candidates: witnesses.map(({ source, date, trust }) => says(source, () => date.iso, trust)),
    sameness: both,
  };
}

const both = (): boolean => true;

const DAY = 24 * 60 * 60 * 1_000;
const HOUR = DAY / 24;
const MINUTES_APART = 10;

/** Not in the future, and not what programs print for "never". */
const isCredible = ({ at, iso }: PrintedDate, now: number): boolean =>
  at <= now + DAY && !iso.startsWith('1970-01-01') && Number(iso.slice(0, 4)) >= 1800;

/** Two clocks of one site are seldom the same to the second, and one may stand in another zone. */
function isSame(a: PrintedDate, b: PrintedDate): boolean {
  const [dayOfA, dayOfB] = [a.iso.slice(0, 10), b.iso.slice(0, 10)];
  if (dayOfA === dayOfB) return true;
  if (dayOfA === a.iso && dayOfB === b.iso) return false;
  return Math.abs(a.at - b.at) <= Math.max(a.vagueHours, b.vagueHours, MINUTES_APART / 60) * HOUR;
}

function witnessesOf(reader: PageReader): Candidate[] {
  return [
    says('json-ld', () => ofArticle(reader.jsonLd)),
    says('microdata', () => ofArticle(reader.microdata)),
    says('rdfa', () => ofArticle(reader.rdfa)),
    says('meta', () => reader.meta(...PUBLISHED_METAS), 0.85),
    says('meta', () => reader.meta(...DATE_METAS), 0.6),
    says('selector', () => markedTime(reader)),
  ];
}

const ARTICLES: ReadonlySet<string> = new Set(
  (
    'Article NewsArticle BlogPosting ReportageNewsArticle AnalysisNewsArticle OpinionNewsArticle BackgroundNewsArticle ' +
    'TechArticle ScholarlyArticle Report SocialMediaPosting LiveBlogPosting Recipe VideoObject PodcastEpisode'
  ).split(' '),
);
const PAGES: ReadonlySet<string> = new Set('WebPage ItemPage AboutPage FAQPage QAPage'.split(' '));

/** Of the only article, or else of the page itself. A list of articles has no one date. */
function ofArticle(things: readonly Thing[]): string | null {
  for (const kinds of [ARTICLES, PAGES]) {
    const [only, ...others] = things.filter((thing) => isA(thing, kinds));
    if (only && others.length === 0) return textOf(only, 'datePublished', 'uploadDate');
    if (others.length > 0) return null;
  }
  return null;
}

const PUBLISHED_METAS = [
  ...['article:published_time', 'og:article:published_time', 'og:published_time', 'article:published', 'datepublished'],
  ...['publication_date', 'publish_date', 'publish-date', 'published_time', 'pubdate', 'parsely-pub-date'],
  ...['citation_publication_date', 'citation_online_date', 'dcterms.issued', 'dc.date.issued', 'sailthru.date'],
];
// Mostly the day of publication; sometimes the day the page was made.
const DATE_METAS = ['date', 'dc.date', 'dcterms.date', 'dcterms.created', 'dc.date.created'];

/** The one `<time>` that is marked as the date of publication. */
function markedTime(reader: PageReader): string | null {
  const dates = new Set<string>();
  walk(reader.root, {
    enter(node) {
      if (!isElement(node)) return 'over';
      const { name, attribs } = node;
      if (name === 'time' && attribs.datetime && isMarked(attribs)) dates.add(attribs.datetime.trim());
      return dates.size > 1 ? 'stop' : 'into';
    },
  });
  const [only = null, ...others] = dates;
  return others.length === 0 ? only : null;
}

const isMarked = (attribs: Record<string, string>): boolean =>
  attribs.pubdate !== undefined ||
  attribs.itemprop === 'datePublished' ||
  /(?:^|\s)(?:published|entry-date|post-date|publish-date|date-published|dt-published)(?:\s|$)/.test(
    attribs.class?.slice(0, 200) ?? '',
  );
