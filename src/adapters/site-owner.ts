import { foldSpace } from '../domain/normalize/text.js';
import { domainOf } from '../domain/registrable-domain.js';
import type { PageReader } from './readers/page-reader.js';
import { isA, type Thing, textOf, thingsOf } from './readers/thing.js';
import { ORGANIZATION_TYPES, SITE_TYPES } from './readers/vocabulary.js';
import { type Candidate, says } from './resolve.js';
import { richest } from './the-one.js';

/** The organisation a website belongs to, among all that its structured data mentions. */
export function siteOrganization(things: readonly Thing[], reader: PageReader): Thing | null {
  if (things.length > MAX_THINGS) return null;
  const sites = things.filter((thing) => isA(thing, SITE_TYPES));
  const publishers = sites.flatMap((site) => thingsOf(site, 'publisher'));
  const candidates = new Set([...things, ...publishers].filter((thing) => isA(thing, ORGANIZATION_TYPES)));
  const organizations = [...candidates].filter((thing) => textOf(thing, 'name', 'legalName') !== null);
  const named = new Set(organizations.map((thing) => foldName(textOf(thing, 'name', 'legalName') ?? '')));
  if (named.size <= 1) return richest(organizations);
  const own = organizations.filter((thing) => isOwnUrl(thing, reader));
  return own.length > 0 ? sameName(own) : sameName(organizations.filter((thing) => publishers.includes(thing)));
}

// A directory of companies is nobody's website.
const MAX_THINGS = 2_000;

/** Where a site prints its own name, most trustworthy first. Titles and headings are slogans unless the domain agrees. */
export function siteName(reader: PageReader): Candidate[] {
  const places: Candidate[] = [
    says('meta', () => reader.meta('og:site_name')),
    says('json-ld', () => textOf(reader.jsonLd.find((thing) => thing.types.includes('WebSite')) ?? null, 'name'), 0.7),
    says('meta', () => reader.meta('application-name', 'apple-mobile-web-app-title'), 0.6),
    says('title', () => titleParts(reader).find((part) => foldName(part) === domainName(reader)) ?? null),
    says('selector', () => copyrightHolder(reader)),
  ];
  return places.map((place) => ({ ...place, read: () => unlessHost(place.read()) }));
}

// `www.acme.com` for a name is the template's filling.
const unlessHost = (name: unknown): unknown =>
  typeof name === 'string' && /^[\w-]+(?:\.[\w-]+)+$/.test(name.trim()) ? null : name;

function isOwnUrl(thing: Thing, reader: PageReader): boolean {
  const url = reader.absolute(textOf(thing, 'url'));
  return url !== null && reader.isOnSite(url);
}

function sameName(things: readonly Thing[]): Thing | null {
  const names = new Set(things.map((thing) => foldName(textOf(thing, 'name', 'legalName') ?? '')));
  return names.size === 1 ? richest(things) : null;
}

const titleParts = (reader: PageReader): string[] =>
  (reader.title ?? '').split(/\s[-–—:·•»]\s|\|/).map((part) => part.trim());

/** `© 2024 Acme Tools, Inc.` counts when the name begins as the domain does. */
function copyrightHolder(reader: PageReader): string | null {
  const label = domainName(reader);
  const tail = reader.text.slice(-3_000);
  const pattern =
    /(?:©|\(c\)|copyright)[\s©,]{0,5}(?:\d{4}(?:\s?[-–]\s?\d{4})?)?[\s,]{0,5}(?:by )?([^|©•·\n]{3,80})/giu;
  for (const [, after = ''] of tail.matchAll(pattern)) {
    const [first = ''] = after.split(/(?<=\.) (?=\p{Lu})|\b[Aa]ll [Rr]ights\b|\s[-–—]\s|\d{4}/u, 1);
    const name = foldSpace(first).replace(/(?<!\b(?:inc|ltd|co|corp|lda))\.$/i, '');
    if (label.length >= 4 && foldName(name).startsWith(label) && name.split(' ').length <= 7) return name;
  }
  return null;
}

const domainName = (reader: PageReader): string => foldName(domainOf(reader.page.finalUrl).split('.', 1)[0] ?? '');

/** Letters and digits only, without accents and legal forms: `Café Röd Ltd.` is `caferod`. */
function foldName(name: string): string {
  const plain = name.slice(0, 300).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain
    .replace(/[\s,]+(?:inc|ltd|llc|gmbh|corp|co|limited|lda|ag|s\.?a|s\.?r\.?o|plc)\.?$/, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
}
