import { foldLetters } from '../domain/normalize/text.js';
import { domainOf } from '../domain/registrable-domain.js';
import type { JobPage } from './job-page.js';
import type { PageReader } from './readers/page-reader.js';
import { hasLegalForm } from './readers/site-name.js';

/**
 * Employers that no line of the page names alone: they stand in its title, in the name of the site, in its address. Each
 * of these names boards as well, so a second witness must say that it is the one who employs.
 */
export function employerInTitle(page: JobPage, isNoName: (name: string) => boolean): string | null {
  const titles = [page.reader.title, page.reader.meta('og:title')].flatMap((title) => title ?? []);
  for (const title of new Set(titles)) {
    for (const { name, isSaid } of namesIn(title)) {
      if (name.length < 2 || name.length > 80 || isNoName(name) || isBoardLike(name)) continue;
      if (isOwnAddress(page.reader, name) || isSpokenOf(page, name) || isSaidToHire(page.reader, name)) return name;
      if (isSaid && isCompanyLike(name)) return name;
    }
  }
  return null;
}

const HIRES =
  /^ (?:is|are) (?:now |currently |actively )?(?:hiring|looking for|seeking|recruiting)|^ (?:seeks|sucht|recrute|recherche|cherche|busca|selecciona|cerca|procura|contrata|zoekt|hleda|hlada|szuka|poszukuje|soker|soger|etsii|keres)\b/;

/** `Crumb is looking for a baker.`, as the page sums itself up for others. */
function isSaidToHire(reader: PageReader, name: string): boolean {
  const said = reader.meta('description', 'og:description')?.slice(0, 300) ?? '';
  return said.startsWith(name) && HIRES.test(foldLetters(said.slice(name.length, name.length + 60)));
}

/** The site itself, where the text about the job begins to speak of it: `Crumb bakes bread in nine towns.` */
export function employingSite(page: JobPage, isNoName: (name: string) => boolean): string | null {
  const name = page.reader.meta('og:site_name', 'application-name');
  if (name === null || name.length > 80 || isBoardLike(name) || isNoName(name)) return null;
  return isSpokenOf(page, name) || isOwnAddress(page.reader, name) || hasCareers(page.reader, name) ? name : null;
}

const CAREERS =
  /^(?:careers?|join (?:us|our team|the team)|work (?:with|for) us|karriere|arbeiten bei uns|jobs und karriere|nous rejoindre|recrutement|trabaja con nosotros|lavora con noi|trabalhe conosco|werken bij|kari[eé]ra|jobba hos oss)$/i;

/** `Careers | Crumb`: boards have careers of others, and a job in the title. */
const hasCareers = ({ title }: PageReader, name: string): boolean => {
  const parts = (title ?? '')
    .slice(0, 200)
    .split(BETWEEN)
    .map((part) => part.trim());
  return (
    parts.length === 2 && parts.some((part) => CAREERS.test(part)) && parts.includes(name) && !/\.\w{2,4}$/.test(name)
  );
};

interface Named {
  name: string;
  /** The words around it say that it employs. */
  isSaid: boolean;
}

const AT =
  /^(?:(?:jobs?|careers?|vacanc(?:y|ies)|work(?:ing)?|employment|opportunities|positions?|job application for .{2,90}?|karriere|stellen(?:angebote?)?|stellenanzeige|emplois?|recrutement|carri[eè]res?|lavora|lavoro|carriere|empleos?|trabajo|trabaja|vagas|vacatures?|werken|kari[eé]ra|pr[aá]ce|praca|jobb|lediga? jobb|ledige stillinger)) (?:at|with|for|bei|beim|chez|hos|bij|con|en|em|na|da|u|ve?|we?|p[åa]) (.+)$/i;
const BEHIND = / (?:careers?|jobs?|vacancies|job openings|karriere|stellenangebote|recrutement|kariéra|vacatures)$/i;
const BETWEEN = /\s[-–—|·•:]\s|\|/;

/** The parts of a title, and in each what stands behind `Careers at` or before `Careers`. */
function namesIn(title: string): Named[] {
  return title
    .slice(0, 300)
    .split(BETWEEN)
    .slice(0, 8)
    .flatMap((part): Named[] => {
      const text = part.trim();
      const [, behind] = AT.exec(text) ?? [];
      if (behind !== undefined) return [{ name: behind.trim(), isSaid: true }];
      if (BEHIND.test(text)) return [{ name: text.replace(BEHIND, ''), isSaid: true }];
      const at = / (?:at|bei|chez|hos|@) (\p{Lu}.+)$/u.exec(text)?.[1];
      return [{ name: text, isSaid: false }, ...(at === undefined ? [] : [{ name: at, isSaid: true }])];
    });
}

const BOARD =
  /job|career|vacanc|recruit|hiring|(?<![a-z])hire|employment|work|stelle|karri|emploi|empleo|trabaj|lavoro|vaga|vacature|prac[ae]|kari[eé]r|talent|staffing|^(?:indeed|linkedin|monster|glassdoor|lever|greenhouse|personio|icims|taleo|ashby|bamboohr|teamtailor|facebook|twitter)$/i;

/** Whoever has jobs in its name lists those of others. */
const isBoardLike = (name: string): boolean => BOARD.test(foldLetters(name));

const INSTITUTION =
  /\b(?:council|university|college|hospital|clinic|school|academy|institute|ministry|museum|nhs|trust|foundation|borough|police|church|authority|universit[aä]t|hochschule|klinikum|krankenhaus|stadtwerke|landratsamt|universit[eé]|h[oô]pital|mairie|universidad|hospital|ayuntamiento|universit[aà]|comune di|univerzita|nemocnice|uniwersytet|szpital|universitet|kommune?|sykehus)\b/i;

const isCompanyLike = (name: string): boolean => hasLegalForm(name) || INSTITUTION.test(name);

const MAX_LINES = 500;
const MIN_PROSE = 30;
const ABOUT =
  /^(?:about|why|join|who (?:is|are)|working at|life at|at|über|bei|warum|à propos d[e’']|chez|o|o firmie|om|over|bij|sobre|chi è)\s+/i;
const OF_THE_SITE =
  /cookie|privacy|personal data|job (?:board|site|search)|datenschutz|©|\bjobs\b|not (?:be )?(?:responsible|liable)|copyright|\bterms\b|sign up|newsletter|employers\b|candidates\b|job ?seekers|recruiters|vacancies|marketplace|search engine/i;

/** Does the text about the job speak of it: a sentence that begins with the name, or a heading `About …`? */
function isSpokenOf(page: JobPage, name: string): boolean {
  const wanted = foldLetters(name);
  return page.outline.lines.slice(0, MAX_LINES).some(({ text, isLink, region }, at) => {
    if (isLink || region === 'head' || region === 'aside' || !page.isOwn(at)) return false;
    const begin = foldLetters(text.slice(0, name.length + 40).replace(ABOUT, ''));
    if (!begin.startsWith(wanted)) return false;
    const rest = begin.slice(wanted.length);
    if (ABOUT.test(text)) return /^(?:[,:.!?]|$)/.test(rest) || text.length >= MIN_PROSE;
    return (
      text.length >= MIN_PROSE &&
      /^(?:'s)? [\p{Ll}(]/u.test(rest) &&
      startsSentence(text, name) &&
      !OF_THE_SITE.test(text)
    );
  });
}

/** A verb follows, in small letters: `Crumb bakes`, not `Crumb Street Market`. */
const startsSentence = (text: string, name: string): boolean => /^(?:['’]s)? [\p{Ll}(]/u.test(text.slice(name.length));

const CAREERS_HOST = /^(?:careers?|jobs?|karriere|recrutement|kariera|werkenbij|join|vacatures|empleo|lavoro|talent)$/i;

/** On the pages many employers share, each has a part of the address: `crumb.boards.test`, `boards.test/crumb`. */
function isOwnAddress({ address }: PageReader, name: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, pathname } = new URL(address);
  const shared = domainOf(address);
  const ahead = hostname.endsWith(`.${shared}`) ? hostname.slice(0, -shared.length - 1).split('.') : [];
  const wanted = letters(name);
  const site = letters(shared.split('.')[0] ?? '');
  // `careers.crumb.test` is the employer's own.
  if (CAREERS_HOST.test(ahead[0] ?? '') && site.length >= 4 && !isBoardLike(site) && wanted.startsWith(site))
    return true;
  return [...ahead, ...pathname.split('/').slice(1, 2)].some((part) => {
    const own = letters(part.replace(/^(?:www|careers?|jobs?|karriere)[-_]?|[-_](?:careers?|jobs?)$/gi, ''));
    return own.length >= 4 && (own === wanted || (own.length >= 6 && wanted.startsWith(own)));
  });
}

const letters = (text: string): string => foldLetters(text.slice(0, 200)).replace(/[^\p{L}\p{N}]+/gu, '');
