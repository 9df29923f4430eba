import { foldSpace } from '../domain/normalize/text.js';
import { companyName, isPlace, MAX_LINE } from './job-company-name.js';
import { employerInTitle, employingSite } from './job-employer.js';
import { hiringTitle } from './job-hiring.js';
import { namedLines } from './job-names.js';
import { AFTER, BEFORE, linesNear, theOnly } from './job-near.js';
import { comparable, type JobPage } from './job-page.js';
import { ownWords, piecesOf } from './job-pieces.js';
import { lazy } from './lazy.js';
import { addressOf, type Line } from './readers/lines.js';
import { hasLegalForm } from './readers/site-name.js';
import { type Candidate, says } from './resolve.js';
import { isSiteName } from './site-name.js';

/**
 * Who the job is with, where structured data does not say. The site's own name is taken only from a label: on a board
 * it stands beside every job. `titleAt` is the line with the job's title: what is written around it is about the job.
 */
export function companyCandidates(page: JobPage, titleAt: () => number | null): Candidate[] {
  const titled = lazy(() => companyInTitle(page, titleAt()));
  return [
    says('label', () => labelledCompany(page, true)),
    says('label', () => labelledCompany(page, false), WEAK_LABEL),
    says('title', titled),
    says('text', titled),
    says('selector', () => namedCompany(page, titleAt())),
    says('link', () => linkedCompany(page, titleAt()), PROFILE_LINK),
    says('link', () => ratedCompany(page, titleAt()), PROFILE_LINK),
    says('title', () => employerInTitle(page, isNoEmployer(page, titleAt())), EMPLOYER),
    says('title', () => companyName(hiringTitle(page)?.company ?? ''), EMPLOYER),
    says('meta', () => employingSite(page, isNoEmployer(page, titleAt())), EMPLOYER),
    says('label', () => companyInContact(page), CONTACT),
    says('text', () => registeredNear(page, titleAt()), REGISTERED),
  ];
}

const WEAK_LABEL = 0.7;
const PROFILE_LINK = 0.65;
const CONTACT = 0.6;
const REGISTERED = 0.6;
const EMPLOYER = 0.6;

/** What stands where employers do and is none: the job itself, a place, words of the page. */
function isNoEmployer(page: JobPage, titleAt: number | null): (name: string) => boolean {
  const heading = comparable(page.outline.lines[titleAt ?? -1]?.text ?? '');
  return (name) =>
    companyName(name) !== name || isPlace(name) || (heading !== '' && heading.includes(comparable(name)));
}

function labelledCompany(page: JobPage, isStrong: boolean): string | null {
  for (const label of page.labelled('company')) {
    const name = companyName(label.lines[0] ?? '');
    if (name !== null && /[,/|]/.test(name) && isPlace(name)) continue;
    // Without a colon or a cell the next line may be anything.
    if (label.isStrong === isStrong && name !== null && (label.isExplicit || label.lines.length <= 2)) return name;
  }
  return null;
}

const SEPARATOR = /\s[-–—|·•:]\s|\||,?\s(?:at|bei|chez|hos|posted by|(?:is )?hiring|sucht|recrute|zoekt|@)\s/;

/**
 * Two witnesses: a part of the page's title that also stands behind the heading, and is neither a place nor the site.
 * Before the heading stands the name of the site, more often than not.
 */
function companyInTitle(page: JobPage, titleAt: number | null): string | null {
  const heading = titleAt === null ? null : comparable(page.outline.lines[titleAt]?.text ?? '');
  if (heading === null) return null;
  const titles = [page.reader.title, page.reader.meta('og:title')].map((title) => title ?? '');
  const texts = linesNear(page, titleAt, 0).flatMap((line) => [ownWords(line), firstPiece(line), line.text]);
  const near = [...new Set(texts)]
    .map((text) => companyName(text) ?? text)
    .map((text) => ({ text, folded: comparable(text) }));
  for (const title of new Set(titles)) {
    for (const segment of withoutHeading(title, heading).split(SEPARATOR)) {
      const name = companyName(segment);
      if (name === null || comparable(name) === heading || !near.some((line) => beginsWith(line, name))) continue;
      if (!isSiteName(page.reader, name) && !isPlace(name)) return name;
    }
  }
  return null;
}

// Borders that only the eye sees: `Crumb` and `4.1` with no space between them.
const firstPiece = (line: Line): string => (line.text.length > MAX_LINE ? line.text : (piecesOf(line)[0]?.text ?? ''));

/** The name alone, or before something else than a sentence: `Crumb – Oslo`, `Crumb (3 jobs)`, not `Crumb is`. */
function beginsWith({ text, folded }: { text: string; folded: string }, name: string): boolean {
  const wanted = comparable(name);
  return folded === wanted || (folded.startsWith(`${wanted} `) && !/^\s*\p{Ll}/u.test(text.slice(name.length)));
}

/** A heading may hold a dash itself, and must not be cut there. */
function withoutHeading(title: string, heading: string): string {
  const [whole, folded] = [foldSpace(title), comparable(title)];
  if (folded.length !== whole.length || heading === '') return title;
  const rest: string[] = [];
  let from = 0;
  for (let at = folded.indexOf(heading); at !== -1; at = folded.indexOf(heading, from)) {
    rest.push(whole.slice(from, at));
    from = at + heading.length;
  }
  return [...rest, whole.slice(from)].join(' | ');
}

function namedCompany(page: JobPage, titleAt: number | null): string | null {
  const names = namedLines(page, 'company').flatMap((at) => {
    const line = page.outline.lines[at];
    const name = line ? (companyName(ownWords(line)) ?? companyName(line.text)) : null;
    return name === null || isSiteName(page.reader, name) || isPlace(name) ? [] : [{ at, name }];
  });
  const isNear = ({ at }: { at: number }) => titleAt !== null && at >= titleAt - BEFORE && at <= titleAt + AFTER;
  return theOnly(names.filter(isNear).map(({ name }) => name));
}

const UNDER = 4;

/** Right by the title, a name that says itself that it is a company. */
function registeredNear(page: JobPage, titleAt: number | null): string | null {
  if (titleAt === null) return null;
  const isAlone = (name: string) => hasLegalForm(name) && !/\s(?:at|bei|chez|hos|@|for)\s/.test(name);
  const namesAt = (from: number, to: number): string[] =>
    page.outline.lines
      .slice(Math.max(0, from), to)
      .filter((_, index) => page.isOwn(Math.max(0, from) + index))
      .map(ownWords)
      .filter(isAlone)
      .flatMap((name) => companyName(name) ?? []);
  const under = namesAt(titleAt + 1, titleAt + 1 + UNDER);
  if (under.length > 0) return theOnly(under);
  const above = theOnly(namesAt(titleAt - 1, titleAt));
  return above !== null && !isSiteName(page.reader, above) ? above : null;
}

const PROFILE =
  /\/(?:company|companies|company-?profiles?|employers?|cmp|organi[sz]ations?|firm[ay]?|unternehmen|arbeitgeber|entreprises?|empresas?|aziend[ae]|bedrij(?:f|ven)|spolecnosti?|zamestnavatel\w{0,3}|pracodawc\w{1,3}|foretag|virksomhed\w{0,2}|bedrift\w{0,2})[/?=-]./i;

/** A link to the page of one company, near the title. */
function linkedCompany(page: JobPage, titleAt: number | null): string | null {
  const names = linesNear(page, titleAt).flatMap((line) => {
    const name = PROFILE.test(addressOf(line)) ? companyName(line.text) : null;
    const isLinked = line.isLink || piecesOf(line).some(({ isLink, text }) => isLink && text === name);
    return name === null || !isLinked || isSiteName(page.reader, name) ? [] : [name];
  });
  return theOnly(names);
}

const RATING = /^\(?[0-5][.,]\d{1,2}(?:\s?\/\s?5)?\)?(?:\s?★)?(?:\s?\(?\d[\d.,]{0,7}\s?\p{L}{0,15}\)?)?$/u;

/** Boards let people rate employers, and print it behind the name: `Crumb 4.1 (38 reviews)`. */
function ratedCompany(page: JobPage, titleAt: number | null): string | null {
  const names = linesNear(page, titleAt, 0).flatMap((line) => {
    const [first] = line.text.length > MAX_LINE ? [] : piecesOf(line);
    if (!first?.isLink || !RATING.test(line.text.slice(first.text.length).trim())) return [];
    const name = companyName(first.text);
    return name === null || isSiteName(page.reader, name) || isPlace(name) ? [] : [name];
  });
  return theOnly(names);
}

const LEGAL_FORM =
  /[\s,](?:inc|llc|ltd|limited|corp|corporation|co|plc|llp|pty|gmbh|ag|kg|se|ug|s\.?\s?r\.?\s?o|a\.\s?s|spol|s\.a|sas|sarl|s\.?r\.?l|s\.?p\.?a|b\.?v|n\.?v|ab|as|asa|aps|a\/s|oyj?|kft|zrt|sp\. z o\. ?o|lda|ltda|sl|slu)\.?$/i;

/** Whoever is to be written to, where the name says itself that it is a company. */
function companyInContact(page: JobPage): string | null {
  const names = page
    .labelled('contact')
    .flatMap(({ lines }) => lines.slice(0, 2))
    .filter((text) => LEGAL_FORM.test(text));
  return theOnly(names.flatMap((text) => companyName(text) ?? []));
}
