import { isPlaceholder } from '../domain/host-name.js';
import { foldLetters } from '../domain/normalize/text.js';
import { domainOf } from '../domain/registrable-domain.js';
import { addressOf, type Line } from './readers/lines.js';
import { oncePerPage } from './readers/once.js';
import type { PageReader } from './readers/page-reader.js';

/** Is this what the site itself is called: by its metas, its address, or the link to its home page? */
export function isSiteName(reader: PageReader, text: string): boolean {
  const name = letters(text);
  if (name === '') return false;
  const { given, host } = ownNames(reader);
  if (given.has(name)) return true;
  const bare = name.replace(/(?:com|net|org|inc|llc|ltd|gmbh|de|cz|uk|eu)$/, '');
  return name === host || bare === host || (bare.length >= 4 && host.startsWith(bare));
}

interface OwnNames {
  given: ReadonlySet<string>;
  host: string;
}

const ownNames = oncePerPage((reader): OwnNames => {
  const { address } = reader;
  const home = URL.canParse(address) ? new URL('/', address).href : null;
  const linked = reader.lines.filter(
    (line) =>
      line.text.length <= 80 &&
      ((line.isLink && isHome(addressOf(line), reader)) || (line.region === 'head' && isBranded(line))),
  );
  const given = [reader.meta('og:site_name'), reader.meta('application-name'), ...linked.map(({ text }) => text)];
  return {
    given: new Set(given.map((text) => letters(text ?? ''))),
    host: letters(home === null ? '' : (domainOf(home).split('.')[0] ?? '')),
  };
});

/** Of a saved page whose address is not known, any root may be its home. */
function isHome(written: string, { address }: PageReader): boolean {
  // Hardly any link is so short, and reading all as addresses costs.
  if (written === '' || !MAY_BE_HOME.test(written) || !URL.canParse(written, address)) return false;
  const { pathname, search, protocol, href } = new URL(written, address);
  if (!protocol.startsWith('http') || search !== '' || !HOME.test(pathname)) return false;
  return isPlaceholder(address) || domainOf(href) === domainOf(address);
}

const MAY_BE_HOME = /^(?:(?:https?:)?\/\/[^/?#]{1,100})?(?:\.{0,2}\/)?(?:(?:index|default|home)(?:\.\w{2,5})?)?$/i;
const HOME = /^\/(?:(?:index|default|home)(?:\.\w{2,5})?)?$/i;

const isBranded = ({ block, start }: Line): boolean =>
  [block, block?.parent, start.parent].some(
    (node) => node !== null && node !== undefined && 'attribs' in node && BRAND.test(node.attribs.class ?? ''),
  );

const BRAND =
  /(?:^|\s)(?:site|blog)[_-]{0,2}(?:title|name|branding)(?:$|\s)|(?:^|\s)(?:logo|brand|navbar-brand)(?:$|\s)/i;

const letters = (text: string): string => foldLetters(text.slice(0, 200)).replace(/[^\p{L}\p{N}]+/gu, '');
