import { foldLetters } from '../domain/normalize/text.js';
import { domainOf } from '../domain/registrable-domain.js';
import { addressOf } from './readers/lines.js';
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

const known = new WeakMap<PageReader, OwnNames>();

function ownNames(reader: PageReader): OwnNames {
  const before = known.get(reader);
  if (before) return before;
  const { finalUrl } = reader.page;
  const home = URL.canParse(finalUrl) ? new URL('/', finalUrl).href : null;
  const linked = reader.lines.filter(
    (line) => line.isLink && line.text.length <= 60 && leadsTo(addressOf(line), finalUrl) === home,
  );
  const given = [reader.meta('og:site_name'), reader.meta('application-name'), ...linked.map(({ text }) => text)];
  const names = {
    given: new Set(given.map((text) => letters(text ?? ''))),
    host: letters(home === null ? '' : (domainOf(home).split('.')[0] ?? '')),
  };
  known.set(reader, names);
  return names;
}

const leadsTo = (address: string, base: string): string | null =>
  address !== '' && URL.canParse(address, base) ? new URL(address, base).href : null;

const letters = (text: string): string => foldLetters(text.slice(0, 200)).replace(/[^\p{L}\p{N}]+/gu, '');
