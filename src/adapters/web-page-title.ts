import { foldSpace } from '../domain/normalize/text.js';
import { domainOf } from '../domain/registrable-domain.js';
import type { PageReader } from './readers/page-reader.js';
import { type Thing, textOf } from './readers/thing.js';
import { type Candidate, says } from './resolve.js';

/** Where a page says what it is called. */
export function titleCandidates(reader: PageReader): Candidate[] {
  const [headline, shared, heading] = [headlineOf(reader), sharedTitle(reader), reader.titledHeading];
  const names = siteNames(reader);
  const bare = (title: string | null) => withoutSite(title, [headline, shared, ...reader.headings], names);
  return [
    says('json-ld', () => headline),
    says('meta', () => bare(shared)),
    says('heading', () => (heading !== null && names.has(fold(heading)) ? null : heading)),
    says('title', () => bare(reader.title)),
  ];
}

const sharedTitle = (reader: PageReader): string | null => reader.meta('og:title', 'twitter:title');

/** Of the only thing that has one; a list of articles has as many. */
function headlineOf(reader: PageReader): string | null {
  const headlines = new Set(
    reader.jsonLd.map((thing: Thing) => textOf(thing, 'headline')).filter((text) => text !== null),
  );
  const [only = null, ...others] = headlines;
  return others.length === 0 ? only : null;
}

/** What the site is called, as it would stand in the title of every page of it. */
function siteNames(reader: PageReader): ReadonlySet<string> {
  const site = reader.jsonLd.find((thing) => thing.types.includes('WebSite')) ?? null;
  const names = [reader.meta('og:site_name'), reader.meta('application-name'), textOf(site, 'name')];
  const host = URL.canParse(reader.page.finalUrl) ? new URL(reader.page.finalUrl).hostname : '';
  const domain = domainOf(reader.page.finalUrl);
  return new Set([...names, host, domain, domain.split('.', 1)[0] ?? ''].map((name) => fold(name ?? '')));
}

/**
 * `Blue bread | The Oven` is `Blue bread` where another witness calls it so. Nobody can tell from the title alone which
 * side of the bar is the site, or whether the bar is part of the name.
 */
function withoutSite(title: string | null, witnesses: (string | null)[], names: ReadonlySet<string>): string | null {
  if (title === null) return null;
  const parts = title.slice(0, 1_000).split(SEPARATOR).map(foldSpace);
  if (parts.length < 2) return title;
  const known = new Set(witnesses.map((witness) => fold(witness ?? '')).filter((text) => !names.has(text)));
  return parts.find((part) => part !== '' && known.has(fold(part))) ?? wholeBefore(title, known) ?? title;
}

const SEPARATOR = /\s[-–—|·•»«/]{1,2}\s|\s?\|\s?|\s?:\s/;

/** A name with a bar of its own: `Salt - a history | The Oven`. */
function wholeBefore(title: string, known: ReadonlySet<string>): string | null {
  const at = Math.max(
    title.lastIndexOf(' - '),
    title.lastIndexOf(' – '),
    title.lastIndexOf(' — '),
    title.lastIndexOf('|'),
  );
  const before = foldSpace(title.slice(0, at));
  return at > 0 && known.has(fold(before)) ? before : null;
}

const fold = (text: string): string =>
  foldSpace(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
