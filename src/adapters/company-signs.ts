import { isOfLabel } from './company-label.js';
import type { Line } from './readers/lines.js';
import type { PageReader } from './readers/page-reader.js';
import { asCompanyName } from './readers/site-name.js';

/** What stands over the door: the logo, the site's title, and the largest words at the top of a page without either. */

/** What is written for those who cannot see the logo. */
export function logoText(reader: PageReader, label: string | null): string | null {
  const logos = reader.select('img').filter(({ attribs }) => {
    const alt = attribs.alt ?? '';
    return (
      alt !== '' && /logo/i.test(`${attribs.src ?? ''} ${attribs.id ?? ''} ${attribs.class ?? ''} ${alt}`.slice(0, 500))
    );
  });
  const texts = logos.map(({ attribs }) =>
    asCompanyName((attribs.alt ?? '').slice(0, 100).replace(/\s*\b(?:logo|home ?page|home)\b\s*/gi, ' ')),
  );
  const names = texts.filter((name) => name !== null);
  return names.find((name) => isOfLabel(name, label)) ?? (names.length === 1 ? (names[0] ?? null) : null);
}

/** The words in place of a logo, under the names that site kits give to it. */
export function brandText(reader: PageReader, label: string | null): string | null {
  const texts = reader.lines
    .slice(0, BRAND_LINES)
    .filter(isBranded)
    .map(({ text }) => asCompanyName(text));
  const names = [...new Set(texts.filter((name) => name !== null))];
  return names.find((name) => isOfLabel(name, label)) ?? (names.length === 1 ? (names[0] ?? null) : null);
}

const BRAND_LINES = 15;

function isBranded({ start, text }: Line): boolean {
  let node = start.parent;
  for (let steps = 0; text.length <= 80 && node && 'attribs' in node && steps < 4; steps += 1) {
    if (BRAND.test(`${node.attribs.class ?? ''} ${node.attribs.id ?? ''}`.slice(0, 200))) return true;
    node = node.parent;
  }
  return false;
}

const BRAND =
  /(?:^|\s)(?:site[_-]{1,2}(?:title|name|logo)|navbar-brand|brand(?:[_-]name)?|logo(?:[_-]?text)?)(?:$|\s)/i;

/** Lines at the very top that could be a name; only another place tells which of them is. */
export const topNames = (reader: PageReader): string[] =>
  reader.lines
    .slice(0, TOP_LINES)
    .filter(({ region, text }) => region !== 'navigation' && text.length <= 60)
    .map(({ text }) => asCompanyName(text))
    .filter((name) => name !== null);

const TOP_LINES = 6;
