import { isOfLabel, labelFrom } from './company-label.js';
import { brandText, logoText, topNames } from './company-signs.js';
import type { AddressBlock } from './readers/address-blocks.js';
import { copyrightHolders } from './readers/copyright.js';
import type { PageReader } from './readers/page-reader.js';
import { asCompanyName, foldName, hasLegalForm, sameName } from './readers/site-name.js';
import { textOf } from './readers/thing.js';
import { type Candidate, type Source, sameWords, says } from './resolve.js';
import type { Site } from './site-owner.js';

/** What is known of a site beside its page's markup. */
export interface Surroundings {
  site: Site;
  email: string | null;
  seat: AddressBlock | null;
}

/**
 * Where a site prints its own name. What is written for people is believed alone only if the address of the site (or
 * of its e-mail) begins in the same way; else two places must say the same, for a title is a slogan more often.
 */
export function nameCandidates(reader: PageReader, around: Surroundings): Candidate[] {
  const label = labelFrom(around);
  const weighed = (source: Source, name: string | null, alone: number, agreeing: number): Candidate =>
    says(source, () => name, name !== null && isOfLabel(name, label) ? agreeing : alone);

  const holders = copyrightHolders(reader.lines);
  const holder = holders.find((name) => isOfLabel(name, label)) ?? holders[0] ?? null;
  const logo = logoText(reader, label);
  const brand = brandText(reader, label);
  const tops = topNames(reader);
  const headings = reader.headings.map(asCompanyName).filter((name) => name !== null);
  const described = subjectOf(reader.meta('description', 'og:description'));
  const others = [holder, logo, brand, described, ...headings].filter((name) => name !== null);
  const isKnown = (name: string) => isOfLabel(name, label) || [...others, ...tops].some((one) => sameName(name, one));
  const above = nameAbove(around.seat, isKnown);
  // A sign over the door and over the address: so the house is called, whoever owns it.
  const isShown = (name: string | null) =>
    name !== null && [logo, brand, ...tops].some((sign) => sign !== null && sameName(name, sign));
  const witnesses = above === null ? others : [above, ...others];
  const title = titlePart(reader, label, witnesses);
  const heading =
    headings.find((name) => isOfLabel(name, label) || isSeconded(name, witnesses)) ??
    tops.find((name) => isOfLabel(name, label) || witnesses.some((other) => sameName(name, other))) ??
    null;
  return spelledOut([
    says('meta', () => asCompanyName(reader.meta('og:site_name'))),
    says('json-ld', () => asCompanyName(websiteName(reader)), 0.7),
    says('meta', () => asCompanyName(reader.meta('application-name', 'apple-mobile-web-app-title')), 0.6),
    weighed('text', holder, holder !== null && hasLegalForm(holder) ? 0.65 : 0.5, 0.72),
    weighed('address', above, isShown(above) ? 0.7 : above !== null && hasLegalForm(above) ? 0.6 : 0.3, 0.74),
    weighed('selector', brand, 0.45, 0.66),
    weighed('selector', logo, above !== null && logo !== null && sameName(logo, above) ? 0.45 : 0.3, 0.62),
    weighed(
      'title',
      title?.name ?? null,
      title?.isAlone ? 0.5 : 0.3,
      isKeyword(title?.name, label, [holder, above]) ? 0.4 : 0.6,
    ),
    weighed('heading', heading, 0.3, 0.6),
    says('meta', () => (described !== null && isSeconded(described, witnesses) ? described : null), 0.3),
  ]);
}

/** `petalsandtwine` in one place is `Petals & Twine` in another: the same letters, and one of them is how it is written. */
function spelledOut(candidates: readonly Candidate[]): Candidate[] {
  const said = candidates.map((candidate) => ({ candidate, name: candidate.read() as string | null }));
  const spelled = new Map(said.flatMap(({ name }) => (name?.includes(' ') ? [[lettersOf(name), name] as const] : [])));
  return said.map(({ candidate, name }) => {
    const better = name !== null && !name.includes(' ') ? spelled.get(lettersOf(name)) : undefined;
    return { ...candidate, read: () => better ?? name };
  });
}

const lettersOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[&+]/g, 'and')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Addresses are bought for the words people search; a registered name beside them tells who is behind it. */
const isKeyword = (title: string | undefined, label: string | null, registered: readonly (string | null)[]): boolean =>
  title !== undefined &&
  foldName(title) !== label &&
  registered.some((name) => name !== null && hasLegalForm(name) && !sameName(name, title));

/** How names are compared: one may go on where the other ends. */
export const sameCompany = (a: unknown, b: unknown): boolean =>
  sameWords(a, b) || (typeof a === 'string' && typeof b === 'string' && sameName(a, b));

const isSeconded = (name: string, witnesses: readonly string[]): boolean =>
  witnesses.some((other) => other !== name && sameName(name, other));

const websiteName = (reader: PageReader): string | null =>
  textOf(reader.jsonLd.find((thing) => thing.types.includes('WebSite')) ?? null, 'name');

/** `Acme Tools is the leading …` */
const subjectOf = (description: string | null): string | null =>
  asCompanyName(
    /^(\p{Lu}.{2,60}?),?\s(?:is|are|was|offers?|provides?|has|have|delivers?|makes?|speciali[sz]es?|ist|est|es|é|je|is een)\s/u.exec(
      description?.slice(0, 200) ?? '',
    )?.[1],
  );

/**
 * The part of the title that is a name, because the address or another place says so. Without such help only the one
 * part beside words that all sites have: `Acme Tools :: Contact us`.
 */
function titlePart(
  reader: PageReader,
  label: string | null,
  witnesses: readonly string[],
): { name: string; isAlone: boolean } | null {
  const parts = (reader.title ?? '').split(/\s[-–—:·•»~]+\s|\s?[|:]{1,2}\s?|,\s/).filter((part) => part.trim() !== '');
  const names = parts.map(asCompanyName).filter((part) => part !== null);
  const known =
    names.find((part) => label !== null && foldName(part) === label) ??
    names.find((part) => isOfLabel(part, label)) ??
    names.find((part) => isSeconded(part, witnesses)) ??
    witnesses.find(
      (name) => foldName(name).length >= 5 && names.some((part) => foldName(part).includes(foldName(name))),
    );
  const [only, ...others] = names;
  const name = known ?? (others.length === 0 ? only : undefined);
  if (name === undefined) return null;
  const isAlone = others.length === 0 && parts.length === 2 && /^\p{Lu}/u.test(name) && name.split(' ').length <= 5;
  return { name, isAlone };
}

function nameAbove(seat: AddressBlock | null, isKnown: (name: string) => boolean): string | null {
  const names = (seat?.above ?? []).map(asCompanyName).filter((name) => name !== null && isNameLike(name)) as string[];
  return names.find(isKnown) ?? names.find(hasLegalForm) ?? names[0] ?? null;
}

const isNameLike = (name: string): boolean => !/\d{3}/.test(name) && /^\p{Lu}|^\p{L}*\d|^\p{Ll}+\p{Lu}/u.test(name);
