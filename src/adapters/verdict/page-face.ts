import { foldSpace } from '../../domain/normalize/text.js';
import type { DomElement } from '../readers/dom.js';
import { visibleText } from '../readers/dom-text.js';
import { GLANCE, type PageReader } from '../readers/page-reader.js';
import type { Thing } from '../readers/thing.js';
import { cored, type Head } from './head.js';

/**
 * A page as one sees it at a glance: how it calls itself, what it says first, and the source behind it. Refusals are
 * short, so most questions end at the length of the text; the costly ones are asked of short pages only.
 */
export class PageFace {
  readonly reader: PageReader;
  #source: string | null = null;
  #said: string | null = null;
  #titles: Head[] | null = null;
  #headings: Head[] | null = null;
  #ownLength: number | null = null;

  constructor(reader: PageReader) {
    this.reader = reader;
  }

  /** Characters a reader sees, navigation and all; of a long page any number above what is asked for here. */
  get length(): number {
    return this.reader.opening.length;
  }

  /** Characters outside navigation, head and foot, links left out: what the page itself has to say. */
  get ownLength(): number {
    this.#ownLength ??= this.reader.lines.reduce(
      (sum, { text, region, isLink }) => (isLink || AROUND.has(region) ? sum : sum + text.length),
      0,
    );
    return this.#ownLength;
  }

  /** The source is no longer than a script and a sentence. */
  get isTiny(): boolean {
    return this.reader.page.html.length < MAX_TINY;
  }

  /** Does the source hold one of these marks? */
  holds(...marks: string[]): boolean {
    this.#source ??= this.reader.page.html.slice(0, MAX_SOURCE);
    const source = this.#source;
    return marks.some((mark) => source.includes(mark));
  }

  /** Does its text hold this sentence? Patterns are in lower case with straight apostrophes. */
  says(sentence: RegExp): boolean {
    return sentence.test(this.said);
  }

  get said(): string {
    this.#said ??= plainWords(this.reader.opening.slice(0, GLANCE));
    return this.#said;
  }

  /** Its first words. */
  get opening(): string {
    return plainWords(this.reader.opening.slice(0, 300));
  }

  /** All it says, where that is one line. */
  get onlyLine(): Head | null {
    return this.length <= MAX_ONE_LINE ? cored(wordsOf(this.reader.opening)) : null;
  }

  /** The whole title, in words only. */
  get title(): string {
    return this.titles[0]?.words ?? '';
  }

  /** The title, and its parts between separators: `Page not found | Crumb` has two. */
  get titles(): readonly Head[] {
    this.#titles ??= titlesOf(this.reader.title ?? '');
    return this.#titles;
  }

  /** Main headings; where there are none, the first below them. Of a page with much to read: none, they prove nothing. */
  get headings(): readonly Head[] {
    this.#headings ??= this.#readHeadings().map((text) => cored(wordsOf(text)));
    return this.#headings;
  }

  #readHeadings(): string[] {
    if (this.length > MUCH) return [];
    const main = this.reader.headings;
    if (main.length > 0) return main.slice(0, MAX_HEADINGS);
    const below = this.reader.selectText('h2');
    return below === null ? [] : [below];
  }

  /** Something is described for machines. Whatever else the page shows, that can be read. */
  get isDescribed(): boolean {
    const { jsonLd, microdata, rdfa } = this.reader;
    return jsonLd.length + microdata.length > 0 || rdfa.some(({ types }) => types.length > 0);
  }

  /** The same, apart from what describes the site and stands on all its pages, error pages too. */
  get isItem(): boolean {
    const { jsonLd, microdata, rdfa } = this.reader;
    return [jsonLd, microdata, rdfa].some((things) => things.some(isNoFurniture));
  }

  /** Fields a visitor writes more than an answer into: the page is a form, and a captcha on it guards that form. */
  get isForm(): boolean {
    const areas = this.#find('textarea').filter(({ attribs }) => !/-response$/.test(attribs.name ?? ''));
    if (areas.length > 0) return true;
    const types = this.#find('input').map(({ attribs }) => attribs.type?.toLowerCase() ?? 'text');
    return types.includes('email') || types.filter((type) => type === 'text' || type === 'tel').length > 1;
  }

  /** More links than a page has that only turns a visitor away. */
  get hasSite(): boolean {
    return this.#find('a').length > MAX_LINKS;
  }

  get hasPassword(): boolean {
    return this.#find('input').some(({ attribs }) => attribs.type?.toLowerCase() === 'password');
  }

  /** Buttons and links, by their words. */
  get actions(): string[] {
    const inputs = this.#find('input').map(({ attribs }) => attribs.value ?? '');
    const shown = [...this.#find('button'), ...this.#find('a')].map((element) => visibleText(element, 200));
    return [...inputs, ...shown].map(wordsOf).filter((text) => text !== '');
  }

  #find(tag: string): DomElement[] {
    return this.reader.select(tag, undefined, MAX_FOUND);
  }
}

const MAX_FOUND = 200;
const MAX_LINKS = 20;
const MAX_TINY = 5_000;
const MAX_SOURCE = 500_000;
const MUCH = 6_000;
const MAX_ONE_LINE = 120;
const MAX_HEADINGS = 5;
const AROUND: ReadonlySet<string> = new Set(['navigation', 'head', 'foot']);

const FURNITURE: ReadonlySet<string> = new Set(
  (
    'WebSite WebPage Organization Corporation LocalBusiness BreadcrumbList ListItem ImageObject SearchAction ReadAction ' +
    'EntryPoint SiteNavigationElement WPHeader WPFooter WPSideBar CollectionPage ItemList PostalAddress'
  ).split(' '),
);

const isNoFurniture = ({ types }: Thing): boolean => types.length > 0 && !types.some((type) => FURNITURE.has(type));

/** Lower case, straight apostrophes, single spaces. */
const plainWords = (text: string): string => foldSpace(text.toLowerCase().replace(/[‘’`´]/g, "'"));

/** The same without punctuation, as headlines are compared. */
export const wordsOf = (text: string): string =>
  foldSpace(plainWords(text.slice(0, 300)).replace(/[^\p{L}\p{M}\p{N}' ]+/gu, ' '));

function titlesOf(title: string): Head[] {
  const parts = title
    .slice(0, 300)
    .split(/ ?[|–—·•»›] ?| -+ | :: /)
    .map(wordsOf)
    .filter((part) => part !== '');
  const others = parts.length > 1 ? parts.map((part) => cored(part, false)) : [];
  return [cored(wordsOf(title)), ...others];
}
