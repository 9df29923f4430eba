import { foldSpace } from '../domain/normalize/text.js';
import { hiringTitle, onlyOpening } from './job-hiring.js';
import { namedLines } from './job-names.js';
import { comparable, type JobPage } from './job-page.js';
import { isListHeading, isPartName, isTerms, withoutTail } from './job-words.js';
import { lazy } from './lazy.js';
import type { Line } from './readers/lines.js';
import type { PageReader } from './readers/page-reader.js';
import { type Candidate, says } from './resolve.js';
import { isSiteName } from './site-name.js';

/** What a page without structured data calls the job: its labels, and the heading that its title repeats. */
export function titleCandidates(page: JobPage): Candidate[] {
  const { reader } = page;
  const headline = lazy(() => {
    const line = findHeadline(page);
    if (isHeading(line)) return line;
    // A line that only looks like one says less than a label does.
    return page.hasSigns() && labelledTitle(page, true) === null ? line : null;
  });
  return [
    says('label', () => labelledTitle(page, true)),
    says('label', () => labelledTitle(page, false), WEAK_LABEL),
    says('meta', () => sharedTitle(reader, textOf(headline()))),
    says('heading', () => titledHeading(page) ?? (isHeading(headline()) ? textOf(headline()) : null)),
    says('text', () => (isHeading(headline()) ? null : textOf(headline()))),
    says('title', () => textOf(headline())),
    says('selector', () => namedTitle(page)),
    says('heading', () => soleHeading(page) ?? begunHeading(page), ALONE),
    says('text', () => (headline() === null ? lineAboveFacts(page) : null), ALONE),
    says('title', () => notPart(hiringTitle(page)?.title ?? null)),
    says('heading', () => notPart(headline() === null ? textOf(onlyOpening(page)) : null), ALONE),
  ];
}

const textOf = (line: Line | null): string | null => (line === null ? null : withoutTail(line.text));

function titledHeading(page: JobPage): string | null {
  const heading = notPart(page.reader.titledHeading);
  return heading === null || isSiteName(page.reader, heading) ? null : withoutTail(heading);
}

const WEAK_LABEL = 0.6;
const ALONE = 0.55;

/** Could this be what a job is called? */
function isTitleLike(text: string): boolean {
  if (text.length < 2 || text.length > 150 || !/\p{L}{2}/u.test(text) || text.split(' ').length > 20) return false;
  if (isPartName(text) || isTerms(text)) return false;
  return !/[.!?]\s\p{L}+\s\p{L}+\s\p{L}+|:\s*$|@|https?:|\s\|\s/u.test(text.replace(SHORTENED, '$1'));
}

// A point behind them ends no sentence.
const SHORTENED =
  /\b(sr|jr|snr|jnr|asst|assoc|mgr|dir|dept|eng|engr|tech|exec|admin|coord|supv|spec|gen|prof|dr|st|ing|dipl|mag|bc|no|nr|vs|inc|co)\./gi;

function labelledTitle(page: JobPage, isStrong: boolean): string | null {
  const found = page
    .labelled('title')
    .find((label) => label.isStrong === isStrong && label.isExplicit && isTitleLike(label.lines[0] ?? ''));
  const text = found?.lines[0] ?? null;
  // Some boards put the whole advertisement into one line.
  return text === null || /\s:\s|\w:\s/.test(text) ? null : text;
}

const notPart = (text: string | null): string | null => (text !== null && isTitleLike(text) ? text : null);

const isHeading = (line: Line | null): boolean => line !== null && levelOf(line) < PLAIN;

const PLAIN = 7;
const levelOf = ({ block }: Line): number => (/^h[1-6]$/.test(block?.name ?? '') ? Number(block?.name[1]) : PLAIN);

/**
 * The line that the page's title repeats as one of its parts: the highest heading, since the employer and the place
 * often stand in smaller ones below. Two such headings may be the site and the job: then it is the one that the title
 * for sharing begins with, or the one called so. Without headings it is the line that comes first in the title.
 */
function findHeadline(page: JobPage): Line | null {
  const repeated = repeatedLines(page);
  const level = Math.min(...repeated.map(({ line }) => levelOf(line)));
  const highest = repeated.filter(({ line }) => levelOf(line) === level);
  const isUnclear = level < PLAIN && new Set(highest.map(({ line }) => comparable(line.text))).size > 1;
  const [first] = isUnclear ? clearOf(page, highest) : highest.sort((a, b) => a.place - b.place);
  return first?.line ?? null;
}

function clearOf(page: JobPage, repeated: readonly Repeated[]): Repeated[] {
  const shared = comparable(page.reader.meta('og:title') ?? '');
  const isShared = shared !== '' && shared !== comparable(page.reader.title ?? '');
  const begun = isShared
    ? repeated.filter(({ line }) => placeInTitle(shared, comparable(textOf(line) ?? '')) === 0)
    : [];
  if (begun.length === 1) return begun;
  const names = new Set(namedLines(page, 'title').map((at) => page.outline.lines[at]));
  const named = repeated.filter(({ line }) => names.has(line));
  return named.length === 1 ? named : [];
}

interface Repeated {
  line: Line;
  place: number;
}

function repeatedLines(page: JobPage): Repeated[] {
  // Escaped twice is common in titles.
  const title = comparable((page.reader.title ?? page.reader.meta('og:title') ?? '').replaceAll('&amp;', '&'));
  const taken = [...page.labelled('company'), ...page.labelled('location'), ...page.labelled('salary')];
  const values = new Set(taken.map(({ lines }) => comparable(lines[0] ?? '')));
  return page.outline.lines.flatMap((line, at) => {
    if (!page.isOwn(at) || (line.isLink && levelOf(line) === PLAIN)) return [];
    const text = withoutTail(page.folded(at));
    const place = placeInTitle(title, text);
    if (place === -1 || values.has(text) || !isTitleLike(line.text)) return [];
    return isSiteName(page.reader, line.text) ? [] : [{ line, place }];
  });
}

const BEFORE =
  /(?:^|[-–—|·•:,;'"“”„«»()[\]>/])$|\b(?:for|opening|hiring|jobs?|position|vacancy|role|als|offre|emploi|stelle|prace|pozice|oferta|vaga|vacature)$/;
const AFTER =
  /^(?:$|[-–—|·•:,;'"“”„«»()[\]>/])|^(?:jobs?|vacancy|vacancies|position|career|careers|in|at|bei|for|near|chez|en|hos|fur|by|with|via|is|stelle|vaga|praca|prace|i|w|v|ve)\b/;

/** Where the title says it, as a part of its own and not as some words of one. */
function placeInTitle(title: string, text: string): number {
  const at = text.length < 3 ? -1 : title.indexOf(text);
  if (at === -1) return -1;
  const [before, after] = [title.slice(0, at), title.slice(at + text.length)];
  const isApart = (before === '' || /[^\p{L}\p{N}]$/u.test(before)) && (after === '' || /^[^\p{L}\p{N}]/u.test(after));
  return isApart && BEFORE.test(before.trimEnd()) && AFTER.test(after.trimStart()) ? at : -1;
}

/** `og:title` where the page's title is the same with the site's name behind it; alone it is as often a slogan. */
function sharedTitle(reader: PageReader, headline: string | null): string | null {
  const shared = foldSpace(reader.meta('og:title') ?? '');
  // `Baker at Crumb`, where the heading is `Baker`.
  if (headline !== null && placeInTitle(comparable(shared), comparable(headline)) !== -1) return headline;
  const title = reader.title ?? '';
  const [first = ''] = title.split(SEPARATOR, 1);
  return shared !== '' && first === shared && title !== shared && isTitleLike(shared) ? shared : null;
}

const SEPARATOR = /\s[-–—|·:]\s|\|/;

function namedTitle(page: JobPage): string | null {
  const texts = new Set(namedLines(page, 'title').map((at) => textOf(page.outline.lines[at] ?? null) ?? ''));
  const [only, ...others] = [...texts].filter((text) => isTitleLike(text) && !isSiteName(page.reader, text));
  return only !== undefined && others.length === 0 ? only : null;
}

/** The only main heading of a page that otherwise speaks like an advertisement, though its title does not repeat it. */
function soleHeading(page: JobPage): string | null {
  const heading = notPart(page.reader.heading);
  if (heading === null || isSiteName(page.reader, heading)) return null;
  return factsOf(page).length >= 2 ? withoutTail(heading) : null;
}

/** `Baker - £30,000 + car`, where the page's title says `Baker job in Leeds`. */
function begunHeading(page: JobPage): string | null {
  const heading = notPart(page.reader.heading);
  const [first = '', ...rest] = heading?.split(/\s[-–—|]\s|\s?[(,]/) ?? [];
  if (heading === null || rest.length === 0 || !page.hasSigns() || isSiteName(page.reader, first)) return null;
  if (isPartName(first) || isListHeading(comparable(heading))) return null;
  return placeInTitle(comparable(page.reader.title ?? ''), comparable(first)) === 0 ? withoutTail(heading) : null;
}

/** Where the labels of an advertisement stand, the first of each kind. */
const factsOf = (page: JobPage): number[] =>
  (['company', 'location', 'salary'] as const).flatMap(
    (field) => page.labelled(field).find((label) => label.isStrong && label.isExplicit)?.at ?? [],
  );

/** Right above the labels, in the same block or as a heading: `Baker<br>Company: Crumb<br>Location: Oslo`. */
function lineAboveFacts(page: JobPage): string | null {
  const facts = factsOf(page);
  const at = Math.min(...facts) - 1;
  const line = facts.length < 2 || page.labelled('title').length > 0 ? undefined : page.outline.lines[at];
  if (!line || line.isLink || line.hasField || !page.isOwn(at) || isSiteName(page.reader, line.text)) return null;
  const isAbove = isHeading(line) || line.block === page.outline.lines[at + 1]?.block;
  return isAbove && !/\d{4}|:/.test(line.text) ? notPart(textOf(line)) : null;
}
