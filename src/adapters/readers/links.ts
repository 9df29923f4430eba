import { canonicalUrl } from '../../domain/normalize/canonical-url.js';
import { type DomElement, isElement, walk } from './dom.js';
import { visibleText } from './dom-text.js';
import type { PageReader } from './page-reader.js';
import { cutWhole } from './plain-text.js';

export interface PageLink {
  /** Absolute, without its fragment. */
  url: string;
  text: string | null;
}

const MAX_LINKS = 5_000;
const MAX_CHARACTERS = 500_000;
const MAX_LINK_TEXT = 1_000;

/** Where the page leads: each address once, in document order, with the first text that is given for it. */
export function pageLinks(reader: PageReader): PageLink[] {
  const collected = new LinkCollector(absoluteAddresses(reader));
  walk(reader.root, {
    enter(node) {
      if (!isElement(node) || NOT_THE_PAGE.has(node.name)) return 'over';
      if (node.name === 'a' || node.name === 'area') collected.note(node);
      return collected.isFull ? 'stop' : 'into';
    },
  });
  return [...collected.links.values()];
}

const NOT_THE_PAGE: ReadonlySet<string> = new Set(['template', 'noscript', 'svg', 'head']);

class LinkCollector {
  /** By their canonical address. */
  readonly links = new Map<string, PageLink>();
  /** By what was written: menus stand on a page twice, and reading an address is what costs here. */
  readonly #written = new Map<string, PageLink | null>();
  readonly #absolute: Addresses;
  #characters = 0;
  #isOver = false;

  constructor(absolute: Addresses) {
    this.#absolute = absolute;
  }

  get isFull(): boolean {
    return this.links.size >= MAX_LINKS || this.#isOver;
  }

  note(element: DomElement): void {
    const href = element.attribs.href?.trim() ?? '';
    const known = this.#written.get(href);
    const link = known === undefined ? this.#linkTo(href) : known;
    if (known === undefined) this.#written.set(href, link);
    if (!link || link.text !== null || this.#isOver) return;
    const text = textOf(element);
    if (this.#takes(text ?? '')) link.text = text;
  }

  /** Nothing is taken by halves: what does not fit ends the list. */
  #takes(text: string): boolean {
    this.#isOver ||= this.#characters + text.length > MAX_CHARACTERS;
    if (!this.#isOver) this.#characters += text.length;
    return !this.#isOver;
  }

  #linkTo(href: string): PageLink | null {
    // A fragment alone leads nowhere else.
    const address = href === '' || href.startsWith('#') ? null : this.#absolute(href);
    const key = address === null ? null : comparable(address);
    if (address === null || key === null) return null;
    const known = this.links.get(key);
    if (known) return known;
    const link = { url: address.split('#', 1)[0] as string, text: null };
    if (!this.#takes(link.url)) return null;
    this.links.set(key, link);
    return link;
  }
}

/** The canonical address; where there is nothing but a host and a path, it is told without parsing again. */
export function comparable(address: string): string | null {
  const plain = /^https?:\/\/([^/?#@:]+)(\/[^?#]*)(?:#|$)/.exec(address);
  if (!plain) return canonicalUrl(address);
  const [, host, path = ''] = plain;
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end -= 1;
  return `https://${host}${path.slice(0, end)}`;
}

/** What the link prints; a picture stands for its description. */
function textOf(element: DomElement): string | null {
  const printed = wholeText(visibleText(element, MAX_LINK_TEXT));
  if (printed !== '') return printed;
  const picture = element.children.find((child): child is DomElement => isElement(child) && child.name === 'img');
  const { attribs } = element;
  const said = [picture?.attribs.alt, attribs['aria-label'], attribs.title, attribs.alt].find((text) => text?.trim());
  return said === undefined ? null : cutWhole(said.replace(/\s+/g, ' ').trim(), MAX_LINK_TEXT);
}

/** A text that was cut may end in half a character. */
const wholeText = (text: string): string => cutWhole(`${text} `, text.length);

export type Addresses = (href: string) => string | null;

/** Addresses as the page writes them, made absolute by its base. Only what can be fetched: `null` for other schemes. */
export function absoluteAddresses(reader: PageReader): Addresses {
  const base = reader.absolute('') ?? reader.page.finalUrl;
  return (href) => {
    if (href.length > MAX_ADDRESS || !URL.canParse(href, base)) return null;
    const url = new URL(href, base);
    if (url.href.length > MAX_ADDRESS) return null;
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  };
}

const MAX_ADDRESS = 4_096;
