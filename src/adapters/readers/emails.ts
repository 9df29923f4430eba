import { normalizeEmail } from '../../domain/normalize/contact.js';
import { decodeCloudflareEmail, protectedPart } from './cloudflare-email.js';
import { type DomElement, isElement } from './dom.js';
import { visibleText } from './dom-text.js';
import { emailsIn, reversedEmailsIn } from './emails-written.js';
import type { Line, Region } from './lines.js';
import type { PageReader } from './page-reader.js';

/** An address the page shows or links to. */
export interface FoundEmail {
  address: string;
  source: 'link' | 'text';
  /** The words right before it, and those of its link. */
  context: string;
  /** Its line among the page's lines; `null` for what stands in an attribute only. */
  line: number | null;
  region: Region | null;
}

/** Every address of the page: links first, then what stands in its lines. */
export function readEmails(reader: PageReader): FoundEmail[] {
  return [...linked(reader), ...shielded(reader), ...split(reader), ...printed(reader)];
}

const MAX_LINKS = 200;

function linked(reader: PageReader): FoundEmail[] {
  return reader.index.contactLinks.slice(0, MAX_LINKS).flatMap((element) => {
    const href = element.attribs.href?.trim() ?? '';
    const hidden = protectedPart(href);
    const address = hidden === null ? mailtoAddress(href) : decodeCloudflareEmail(hidden);
    return address === null ? [] : [found(address, element)];
  });
}

/** The first recipient; a link that only fills in a subject is for sharing. */
const mailtoAddress = (href: string): string | null =>
  /^mailto:/i.test(href) ? normalizeEmail(href.split(/[?,;]/, 1)[0] ?? '') : null;

function shielded(reader: PageReader): FoundEmail[] {
  if (!reader.page.html.includes('data-cfemail')) return [];
  return reader.select('[data-cfemail]').flatMap((element) => {
    const address = decodeCloudflareEmail(element.attribs['data-cfemail'] ?? '');
    return address === null ? [] : [found(address, element)];
  });
}

/** `<a data-user="info" data-domain="acme.com">`, put together by a script; some write both backwards. */
function split(reader: PageReader): FoundEmail[] {
  if (!/\sdata-(?:user|domain)=/.test(reader.page.html)) return [];
  return reader.select('[data-user]').flatMap((element) => {
    const { attribs } = element;
    const host = attribs['data-domain'] ?? attribs['data-website'] ?? attribs['data-host'] ?? '';
    const whole = [host, attribs['data-tld']].filter(Boolean).join('.');
    const text = `${attribs['data-user']}@${whole}`;
    const [address = null] = [...emailsIn(text), ...emailsIn(`${mirror(attribs['data-user'] ?? '')}@${mirror(whole)}`)];
    return address === null ? [] : [found(address, element)];
  });
}

const mirror = (text: string): string => [...text.slice(0, 300)].reverse().join('');

function printed(reader: PageReader): FoundEmail[] {
  const isMirrored = /unicode-bidi|<bdo/i.test(reader.page.html);
  const found: FoundEmail[] = [];
  reader.lines.forEach((each, line) => {
    if (!mayHold(each)) return;
    const { text, region } = each;
    for (const address of [...emailsIn(text), ...(isMirrored ? reversedEmailsIn(text) : [])])
      found.push({ address, source: 'text', context: before(address, text), line, region });
  });
  return found;
}

const before = (words: string, text: string): string => {
  const at = text.toLowerCase().indexOf((words.split('@', 1)[0] ?? '').toLowerCase());
  return text.slice(Math.max(0, at - NEAR), Math.max(0, at));
};

const NEAR = 50;

const mayHold = ({ text }: Line): boolean => text.includes('@') || /[[({<]\s?[aäzmkc]|\sat\s/i.test(text);

const found = (address: string, element: DomElement): FoundEmail => ({
  address,
  source: 'link',
  context: `${wordsBefore(element)} ${visibleText(element, 200)}`,
  line: null,
  region: null,
});

/** What is written right before a link, in the same block. */
export function wordsBefore(element: DomElement): string {
  let words = '';
  let node = element.prev;
  for (let steps = 0; node && steps < 4 && words.length < NEAR; steps += 1) {
    words = `${isElement(node) ? visibleText(node, 100) : 'data' in node ? node.data.slice(-NEAR) : ''} ${words}`;
    node = node.prev;
  }
  return words.slice(-NEAR);
}
