import { comparable, type JobPage } from './job-page.js';
import { isApply, isPartName } from './job-words.js';
import type { Line } from './readers/lines.js';

/** What a title such as `Crumb is hiring a Baker in Oslo` says. */
export interface Hiring {
  company: string;
  title: string;
  place: string | null;
}

const HIRING =
  /^(\p{L}[^|]{1,60}?)(?: \([^()]{1,30}\))? (?:is hiring|hiring|sucht|recrute)(?: (?:an?|for an?|einen?|une?))? (\p{L}[^|]{2,80}?)(?: (?:in|à|en) (\p{Lu}[^|]{2,60}?))?(?: [|–—-] [^|]{2,40})?$/iu;

/** Headlines of news are written the same way, so the job must be named again, at the beginning of a line. */
export function hiringTitle(page: JobPage): Hiring | null {
  const [, company, title, place] = HIRING.exec((page.reader.title ?? '').slice(0, 300)) ?? [];
  if (!company || !title) return null;
  const wanted = comparable(title);
  const isNamed = page.outline.lines.some(
    ({ text }, at) => page.isOwn(at) && /^(?: [|-] |$)/.test(restOf(comparable(text.slice(0, 300)), wanted)),
  );
  return isNamed ? { company, title, place: place ?? null } : null;
}

const restOf = (text: string, begin: string): string => (text.startsWith(begin) ? text.slice(begin.length) : '-');

const OPENINGS =
  /^(?:(?:our )?(?:current|open|job|available|latest) (?:openings?|positions?|vacanc(?:y|ies)|jobs|roles)|openings|vacanc(?:y|ies)|we(?:'re| are) hiring|(?:aktuelle |offene )(?:stellen\S*|positionen)|stellenangebote?|nos offres|postes a pourvoir|offres d'emploi|ofertas de empleo|vacantes|posizioni aperte|vagas abertas|(?:open )?vacatures|volna mista|volne pozice|otevrene pozice|aktualni pozice|oferty pracy|lediga (?:jobb|tjanster)|ledige stillinger)$/;

/** A page of openings that has exactly one: the only smaller heading below `Current openings`, where one may apply. */
export function onlyOpening(page: JobPage): Line | null {
  const headings = page.outline.lines.flatMap((line, at) =>
    levelOf(line) < PLAIN && page.isOwn(at) ? [{ line, at }] : [],
  );
  const [above, ...others] = headings.filter(({ at }) => OPENINGS.test(page.folded(at).replace(/[:.!\s]+$/, '')));
  if (!above || others.length > 0) return null;
  const after = headings.filter(({ at }) => at > above.at);
  const next = after.findIndex(({ line }) => levelOf(line) <= levelOf(above.line));
  const below = next === -1 ? after : after.slice(0, next);
  const highest = Math.min(...below.map(({ line }) => levelOf(line)));
  const [only, ...more] = below.filter(({ line }) => levelOf(line) === highest);
  const end = next === -1 ? page.outline.lines.length : (after[next]?.at ?? 0);
  return only && more.length === 0 && !isPartName(only.line.text) && mayApply(page, only.at, end) ? only.line : null;
}

function mayApply(page: JobPage, from: number, to: number): boolean {
  for (let at = from + 1; at < to; at += 1) if (isApply(page.folded(at))) return true;
  return false;
}

const PLAIN = 7;
const levelOf = ({ block }: Line): number => (/^h[1-6]$/.test(block?.name ?? '') ? Number(block?.name[1]) : PLAIN);
