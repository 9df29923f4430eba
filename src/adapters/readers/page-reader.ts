import { isPlaceholder } from '../../domain/host-name.js';
import type { Page } from '../../domain/page.js';
import { domainOf } from '../../domain/registrable-domain.js';
import { type DomDocument, type DomElement, parseHtml } from './dom.js';
import { collectText, visibleText } from './dom-text.js';
import { readHydration } from './hydration.js';
import { readJsonLd } from './json-ld.js';
import { type Labelled, readLabels } from './labels.js';
import { type Line, type Outline, readOutline } from './lines.js';
import { readMicrodata } from './microdata.js';
import { indexPage, type PageIndex } from './page-index.js';
import { readRdfa } from './rdfa.js';
import { namesIn, namesOf, select } from './select.js';
import type { Thing } from './thing.js';

/** The reader of a page. Verdict, `enough` and `extract` all ask for it; the page is parsed for the first of them. */
export function readPage(page: Page): PageReader {
  const known = (page as ReadPage)[READER];
  if (known) return known;
  const reader = new PageReader(page);
  Object.defineProperty(page, READER, { value: reader });
  return reader;
}

// Lives exactly as long as the page itself, and with it. A weak map would hold every tree until the next full round of
// the collector, for what stands in an old map counts as old: that took a fifth of all the time.
const READER = Symbol('reader');
type ReadPage = Page & { [READER]?: PageReader };

/** Characters; whoever judges a page by its face asks for no more of them. */
export const GLANCE = 10_000;

/** One parsed page. What costs is read when it is first asked for, and kept. */
export class PageReader {
  readonly page: Page;
  readonly index: PageIndex;
  readonly #root: DomDocument;
  #jsonLd: Thing[] | null = null;
  #microdata: Thing[] | null = null;
  #rdfa: Thing[] | null = null;
  #hydration: Thing[] | null = null;
  #labels: Labelled[] | null = null;
  #outline: Outline | null = null;
  #text: string | null = null;
  #opening: string | null = null;
  #names: ReadonlySet<string> | null = null;
  readonly #kept = new Map<object, unknown>();

  constructor(page: Page) {
    this.page = page;
    this.#root = parseHtml(page.html);
    this.index = indexPage(this.#root);
  }

  /** The whole page as it was parsed. */
  get root(): DomDocument {
    return this.#root;
  }

  get title(): string | null {
    return this.index.title;
  }

  /** Content of the first of these metas that is there. */
  meta(...names: string[]): string | null {
    for (const name of names) {
      const content = this.index.metas.get(name);
      if (content) return content;
    }
    return null;
  }

  get jsonLd(): readonly Thing[] {
    this.#jsonLd ??= readJsonLd(this.index.jsonLd, this.page.finalUrl);
    return this.#jsonLd;
  }

  get microdata(): readonly Thing[] {
    this.#microdata ??= readMicrodata(this.index);
    return this.#microdata;
  }

  get rdfa(): readonly Thing[] {
    this.#rdfa ??= readRdfa(this.index.subjects);
    return this.#rdfa;
  }

  get hydration(): readonly Thing[] {
    this.#hydration ??= readHydration(this.index);
    return this.#hydration;
  }

  get labels(): readonly Labelled[] {
    this.#labels ??= readLabels(this.outline);
    return this.#labels;
  }

  /** Labels, sections and lists are all read from it. */
  get outline(): Outline {
    this.#outline ??= readOutline(this.#root);
    return this.#outline;
  }

  get lines(): readonly Line[] {
    return this.outline.lines;
  }

  /** What a reader would see of the whole page. */
  get text(): string {
    this.#text ??= visibleText(this.#root);
    return this.#text;
  }

  /** The text from its beginning: all of it, or more than can be seen at a glance. Enough to know a long page by. */
  get opening(): string {
    this.#opening ??= this.#text ?? this.#readOpening();
    return this.#opening;
  }

  #readOpening(): string {
    // Tags and white space count too, so the beginning of a page is longer than what one sees of it.
    const limit = GLANCE * 4;
    const { text, cost } = collectText(this.#root, limit);
    return cost <= limit || text.length > GLANCE ? text : this.text;
  }

  /** The main headings, each once. */
  get headings(): string[] {
    const texts = new Set(this.index.headings.slice(0, 20).map((element) => visibleText(element, 1_000)));
    texts.delete('');
    return [...texts];
  }

  /** The one main heading; `null` when there is none or when there are several. */
  get heading(): string | null {
    const [only = null, ...others] = this.headings;
    return others.length === 0 ? only : null;
  }

  /** The one main heading that the page's title repeats: a site's own name is in headings too, but not beside its subject. */
  get titledHeading(): string | null {
    const title = [this.title, this.meta('og:title')].join(' ').trim().toLowerCase();
    const [only = null, ...others] = this.headings.filter((text) => title === '' || title.includes(text.toLowerCase()));
    return others.length === 0 ? only : null;
  }

  /** Text of the first element that has any, selectors tried in order. */
  selectText(...selectors: string[]): string | null {
    for (const selector of selectors) {
      for (const element of this.select(selector)) {
        const text = visibleText(element);
        if (text !== '') return text;
      }
    }
    return null;
  }

  select(selector: string, within: DomElement | DomDocument = this.#root, limit?: number): DomElement[] {
    const names = namesIn(selector);
    if (names.length > 0) this.#names ??= namesOf(this.#root);
    // Most selectors are of other sites.
    return names.every((name) => this.#names?.has(name)) ? select(within, selector, limit) : [];
  }

  /** What others read of the page, done once and kept with it; `by` is whoever reads it. */
  kept<T>(by: object, read: () => T): T {
    if (!this.#kept.has(by)) this.#kept.set(by, read());
    return this.#kept.get(by) as T;
  }

  /** A URL written on the page, made absolute; `null` when it is not one. */
  absolute(url: string | null): string | null {
    if (url === null) return null;
    const base = this.index.base !== null ? resolved(this.index.base, this.page.finalUrl) : null;
    return resolved(url.trim(), base ?? this.page.finalUrl);
  }

  /** Where the page was found. A saved page whose address is not known may state it. */
  get address(): string {
    const { finalUrl } = this.page;
    if (!isPlaceholder(finalUrl)) return finalUrl;
    const stated = [this.index.canonical, this.meta('og:url')].find((url) => url !== null && /^https?:\/\//i.test(url));
    return (stated && resolved(stated.trim(), finalUrl)) ?? finalUrl;
  }

  /**
   * The address the page gives itself. A canonical link counts only within the site, and not when it points an inner
   * page at the home page: a template's mistake that would give all pages one address. `null` for a saved page that
   * does not say where it is from.
   */
  get ownUrl(): string | null {
    const url = this.#ownUrl();
    return isPlaceholder(url) ? null : url;
  }

  #ownUrl(): string {
    const { address } = this;
    const canonical = this.absolute(this.index.canonical);
    if (canonical === null || !this.isOnSite(canonical)) return address;
    const isHome = new URL(canonical).pathname === '/' && new URL(canonical).search === '';
    return isHome && new URL(address).pathname !== '/' ? address : canonical;
  }

  isOnSite(url: string): boolean {
    const { address } = this;
    return URL.canParse(url) && URL.canParse(address) && domainOf(url) === domainOf(address);
  }
}

const resolved = (url: string, base: string): string | null =>
  URL.canParse(url, base) ? new URL(url, base).href : null;
