import type { DomElement } from './dom.js';

/** The part of a page something stands in. */
export type Region = 'head' | 'navigation' | 'main' | 'aside' | 'foot' | 'body';

const BY_TAG: ReadonlyMap<string, Region> = new Map([
  ['header', 'head'],
  ['nav', 'navigation'],
  ['main', 'main'],
  ['article', 'main'],
  ['aside', 'aside'],
  ['footer', 'foot'],
]);

const BY_ROLE: ReadonlyMap<string, Region> = new Map([
  ['banner', 'head'],
  ['navigation', 'navigation'],
  ['main', 'main'],
  ['complementary', 'aside'],
  ['contentinfo', 'foot'],
]);

/** Of the elements of one page. The same few names stand at hundreds of them: each is understood once. */
export class Regions {
  readonly #byNames = new Map<string, Region | null>();

  /** By its tag, its role, or the name its makers gave it. */
  regionOf({ name, attribs }: DomElement): Region | null {
    const known = BY_TAG.get(name) ?? (attribs.role === undefined ? undefined : BY_ROLE.get(attribs.role));
    if (known !== undefined) return known;
    // Names of cells and paragraphs say how they look, not where on the page they are.
    if (!CONTAINERS.has(name) || (attribs.id === undefined && attribs.class === undefined)) return null;
    return this.#named(attribs.id === undefined ? (attribs.class ?? '') : `${attribs.id} ${attribs.class ?? ''}`);
  }

  #named(names: string): Region | null {
    const known = this.#byNames.get(names);
    if (known !== undefined) return known;
    const region = named(names.slice(0, 200));
    this.#byNames.set(names, region);
    return region;
  }
}

function named(names: string): Region | null {
  // Hardly any has one of these words, and looking for them is much cheaper than for the whole of a name.
  if (!/foot|copyright|nav|menu|breadcrumb|sidebar/i.test(names)) return null;
  if (FOOT.test(names)) return 'foot';
  if (NAVIGATION.test(names)) return 'navigation';
  return SIDE.test(names) ? 'aside' : null;
}

const CONTAINERS: ReadonlySet<string> = new Set(['div', 'section', 'ul', 'ol', 'table', 'center', 'form']);
// `has-footer` and `with-sidebar` stand on what is around all of the page.
const FOOT = /(?:^|\s)(?!(?:has|with|no|sticky)[_-])(?:\w{1,20}[_-])?(?:footer|foot|copyright)(?:$|[\s_-])/i;
const NAVIGATION =
  /(?:^|\s)(?:(?:main|site|top|left|right|side|primary|secondary|global|header|footer|sub|page)[_-]?)?(?:nav|navbar|navigation|menu|breadcrumbs?)(?:$|\s)/i;
const SIDE =
  /(?:^|\s)(?!(?:has|with|no)[_-])(?:\w{1,20}[_-])?sidebar(?:[_-](?:left|right|first|second|primary|secondary))?(?:$|\s)/i;
