import { foldSpace } from '../domain/normalize/text.js';
import { namedLines } from './job-names.js';
import { comparable, type JobPage } from './job-page.js';
import { isPartName, isTerms } from './job-words.js';
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
    return isHeading(line) || page.hasSigns() ? line : null;
  });
  return [
    says('label', () => labelledTitle(page, true)),
    says('label', () => labelledTitle(page, false), WEAK_LABEL),
    says('meta', () => sharedTitle(reader, headline()?.text ?? null)),
    says('heading', () => notPart(reader.titledHeading) ?? (isHeading(headline()) ? headline()?.text : null)),
    says('text', () => (isHeading(headline()) ? null : headline()?.text)),
    says('title', () => headline()?.text),
    says('selector', () => namedTitle(page)),
    says('heading', () => soleHeading(page), ALONE),
  ];
}

const WEAK_LABEL = 0.6;
const ALONE = 0.55;

/** Could this be what a job is called? */
export function isTitleLike(text: string): boolean {
  if (text.length < 2 || text.length > 150 || !/\p{L}{2}/u.test(text) || text.split(' ').length > 20) return false;
  return !isPartName(text) && !isTerms(text) && !/[.!?]\s\p{L}+\s\p{L}+\s\p{L}+|:\s*$|@|https?:|\s\|\s/u.test(text);
}

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
 * often stand in smaller ones below. Two such headings may be the site and the job, and nothing tells which is which.
 * Without headings it is the line that comes first in the title.
 */
function findHeadline(page: JobPage): Line | null {
  const repeated = repeatedLines(page);
  const level = Math.min(...repeated.map(({ line }) => levelOf(line)));
  const highest = repeated.filter(({ line }) => levelOf(line) === level);
  const isUnclear = level < PLAIN && new Set(highest.map(({ line }) => comparable(line.text))).size > 1;
  const [first] = isUnclear ? [] : highest.sort((a, b) => a.place - b.place);
  return first?.line ?? null;
}

function repeatedLines(page: JobPage): { line: Line; place: number }[] {
  const title = comparable(page.reader.title ?? page.reader.meta('og:title') ?? '');
  const taken = [...page.labelled('company'), ...page.labelled('location'), ...page.labelled('salary')];
  const values = new Set(taken.map(({ lines }) => comparable(lines[0] ?? '')));
  return page.outline.lines.flatMap((line, at) => {
    if (!page.isOwn(at) || (line.isLink && levelOf(line) === PLAIN)) return [];
    const text = page.folded(at);
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
  const texts = new Set(namedLines(page, 'title').map((at) => page.outline.lines[at]?.text ?? ''));
  const [only, ...others] = [...texts].filter(isTitleLike);
  return only !== undefined && others.length === 0 ? only : null;
}

/** The only main heading of a page that otherwise speaks like an advertisement, though its title does not repeat it. */
function soleHeading(page: JobPage): string | null {
  const heading = notPart(page.reader.heading);
  if (heading === null || isSiteName(page.reader, heading)) return null;
  const signs = (['company', 'location', 'salary'] as const).filter((field) =>
    page.labelled(field).some((label) => label.isStrong && label.isExplicit),
  );
  return signs.length >= 2 ? heading : null;
}
