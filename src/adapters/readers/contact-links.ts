import { normalizeEmail, normalizePhone } from '../../domain/normalize/contact.js';
import { domainOf, domainOfHost } from '../../domain/registrable-domain.js';
import type { DomElement } from './dom.js';
import { visibleText } from './dom-text.js';
import type { PageReader } from './page-reader.js';

/** The address behind the page's `mailto:` links; of several only one that is plainly the company's own front door. */
export function contactEmail(reader: PageReader): string | null {
  const links = hrefs(reader, /^\s*mailto:/i);
  const addresses = new Map<string, string>();
  for (const [href] of links) {
    const address = normalizeEmail(href);
    if (address !== null) addresses.set(address.toLowerCase(), address);
  }
  const [only = null, ...others] = addresses.values();
  if (others.length === 0) return only;
  const site = domainOf(reader.page.finalUrl);
  const own = [...addresses.values()].filter((address) => domainOfHost(hostOf(address)) === site);
  return own.find((address) => FRONT_DOOR.test(address)) ?? null;
}

/** The number most often linked; numbers that are called a fax are not phones. */
export function contactPhone(reader: PageReader): string | null {
  const counts = new Map<string, { printed: string; count: number }>();
  for (const [href, element] of hrefs(reader, /^\s*tel:/i)) {
    const dialled = normalizePhone(href);
    if (dialled === null || isFax(element)) continue;
    const digits = dialled.replace(/\D/g, '');
    const known = counts.get(digits);
    if (known) known.count += 1;
    else counts.set(digits, { printed: asPrinted(element, digits) ?? dialled, count: 1 });
  }
  const [best] = [...counts.values()].sort((a, b) => b.count - a.count);
  return best?.printed ?? null;
}

const FRONT_DOOR = /^(?:info|contact|hello|office|mail|enquir(?:y|ies)|inquir(?:y|ies)|kontakt|contacto|contato)@/i;
const MAX_LINKS = 200;

const hrefs = (reader: PageReader, scheme: RegExp): [string, DomElement][] =>
  reader.index.contactLinks
    .map((element): [string, DomElement] => [element.attribs.href?.trim() ?? '', element])
    .filter(([href]) => scheme.test(href))
    .slice(0, MAX_LINKS);

const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** The link's own text where it is the same number, since that is how the company writes it. */
function asPrinted(element: DomElement, digits: string): string | null {
  const printed = normalizePhone(visibleText(element, 200));
  if (printed === null) return null;
  const own = printed.replace(/\D/g, '');
  return own.length >= 7 && (digits.endsWith(own.replace(/^0+/, '')) || own === digits) ? printed : null;
}

function isFax(element: DomElement): boolean {
  const before = element.prev && 'data' in element.prev ? element.prev.data.slice(-30) : '';
  return /\bfax\b/i.test(`${before} ${visibleText(element, 200)}`);
}
