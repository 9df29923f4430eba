import { isPlaceholder } from '../domain/host-name.js';
import { domainOf, domainOfHost } from '../domain/registrable-domain.js';
import type { PageReader } from './readers/page-reader.js';
import { foldName } from './readers/site-name.js';
import { isA, type Thing, textOf, thingsOf } from './readers/thing.js';
import { ORGANIZATION_TYPES, SITE_TYPES } from './readers/vocabulary.js';
import { richest } from './the-one.js';

/** The organisation a website belongs to, among all that its structured data mentions. */
export function siteOrganization(things: readonly Thing[], reader: PageReader): Thing | null {
  if (things.length > MAX_THINGS) return null;
  const sites = things.filter((thing) => isA(thing, SITE_TYPES));
  const publishers = sites.flatMap((site) => thingsOf(site, 'publisher'));
  const candidates = new Set([...things, ...publishers].filter((thing) => isA(thing, ORGANIZATION_TYPES)));
  const organizations = [...candidates].filter((thing) => textOf(thing, 'name', 'legalName') !== null);
  // Some kits fill in everything but the name; the only one on the page can still be nobody else.
  if (organizations.length === 0) return candidates.size === 1 ? ([...candidates][0] ?? null) : null;
  const named = new Set(organizations.map((thing) => foldName(textOf(thing, 'name', 'legalName') ?? '')));
  if (named.size <= 1) return richest(organizations);
  const own = organizations.filter((thing) => isOwnUrl(thing, reader));
  return own.length > 0 ? sameName(own) : sameName(organizations.filter((thing) => publishers.includes(thing)));
}

// A directory of companies is nobody's website.
const MAX_THINGS = 2_000;

function isOwnUrl(thing: Thing, reader: PageReader): boolean {
  const url = reader.absolute(textOf(thing, 'url'));
  return url !== null && reader.isOnSite(url);
}

function sameName(things: readonly Thing[]): Thing | null {
  const names = new Set(things.map((thing) => foldName(textOf(thing, 'name', 'legalName') ?? '')));
  return names.size === 1 ? richest(things) : null;
}

/** The website as its address tells it. */
export interface Site {
  /** Where it is, as far as anybody knows: the page's own address, or what a saved page says of itself. */
  url: string | null;
  /** The name it is registered under, letters and digits only: `raincoatcafe` for `www.raincoat-cafe.co.uk`. */
  label: string | null;
  /** Is a host, such as that of an e-mail address, the site's own? Another ending of the same name is. */
  owns(host: string): boolean;
}

export function siteOf(reader: PageReader): Site {
  const url = addressOf(reader);
  const domain = url === null ? null : domainOf(url);
  const label = domain === null ? null : labelOf(domain);
  return {
    url,
    label,
    owns: (host) => {
      const other = domainOfHost(host);
      return other === domain || (label !== null && label.length >= 4 && labelOf(other) === label);
    },
  };
}

export const labelOf = (domain: string): string => foldName(domain.split('.', 1)[0] ?? '');

/** The address asked for, if it is the front page: a canonical link that leads inside must be about another page. */
function addressOf(reader: PageReader): string | null {
  const { finalUrl } = reader.page;
  if (!isPlaceholder(finalUrl) && URL.canParse(finalUrl) && new URL(finalUrl).pathname === '/') return finalUrl;
  if (reader.ownUrl !== null) return reader.ownUrl;
  const told = [reader.index.canonical, reader.meta('og:url')].map((url) => reader.absolute(url));
  return told.find((url) => url !== null && /^https?:/.test(url) && !isPlaceholder(url)) ?? null;
}
