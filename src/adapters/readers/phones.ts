import { normalizePhone } from '../../domain/normalize/contact.js';
import { CREDIT } from './copyright.js';
import type { DomElement } from './dom.js';
import { visibleText } from './dom-text.js';
import { wordsBefore } from './emails.js';
import type { Line, Region } from './lines.js';
import type { PageReader } from './page-reader.js';
import { bareLabel, isUrgent, type PhoneLabel } from './phones-labels.js';
import { phonesIn, phonesOf } from './phones-written.js';

/** A number the page shows or links to. */
export interface FoundPhone {
  printed: string;
  /** As a link dials it, where it says more than what is printed. */
  dialled: string | null;
  source: 'link' | 'text';
  label: PhoneLabel | null;
  /** Its line among the page's lines; `null` for a link. */
  line: number | null;
  region: Region | null;
  /** How much else the line says: characters beside the number. */
  besides: number;
}

export const readPhones = (reader: PageReader): FoundPhone[] => [...linked(reader), ...printed(reader)];

const MAX_LINKS = 200;

function linked(reader: PageReader): FoundPhone[] {
  const links = reader.index.contactLinks.filter(({ attribs }) => /^\s{0,9}(?:tel|callto):/i.test(attribs.href ?? ''));
  return links.slice(0, MAX_LINKS).flatMap((element) => {
    const dialled = normalizePhone(element.attribs.href?.trim() ?? '');
    if (dialled === null) return [];
    const number = asPrinted(element, dialled.replace(/\D/g, '')) ?? dialled;
    const label = linkLabel(element);
    return [{ printed: number, dialled, source: 'link' as const, label, line: null, region: null, besides: 0 }];
  });
}

/** The link's own text where it is the same number, since that is how the company writes it. */
function asPrinted(element: DomElement, digits: string): string | null {
  const text = visibleText(element, 200);
  const number = phonesIn(text)[0]?.printed ?? normalizePhone(text);
  if (number === null) return null;
  const own = number.replace(/\D/g, '');
  return own.length >= 7 && (digits.endsWith(own.replace(/^0+/, '')) || own === digits) ? number : null;
}

/** Of a link only what bars its number: how it is printed tells the rest. */
function linkLabel(element: DomElement): PhoneLabel | null {
  const { title = '', class: names = '' } = element.attribs;
  const before = wordsBefore(element);
  if (/\bfax\b/i.test(`${title} ${names}`) || /fax\b[^\p{L}\d]{0,8}$/iu.test(before)) return 'fax';
  if (CREDIT.test(before)) return 'other';
  return isUrgent(`${before} `) || isUrgent(`${title} ${visibleText(element, 100)}`) ? 'urgent' : null;
}

/** Line by line. Labels that stand on lines of their own speak for the numbers below them, one each. */
function printed(reader: PageReader): FoundPhone[] {
  const found: FoundPhone[] = [];
  let waiting: PhoneLabel[] = [];
  reader.lines.forEach((line, at) => {
    const bare = bareLabel(line.text);
    if (bare !== null) {
      waiting.push(bare);
      return;
    }
    const numbers = numbersOf(line, waiting[0] ?? null);
    if (numbers.length === 0) waiting = [];
    else waiting.shift();
    for (const { number, label } of numbers) {
      const besides = line.text.length - number.length;
      found.push({ printed: number, dialled: null, source: 'text', label, line: at, region: line.region, besides });
    }
  });
  return found.slice(0, MAX_FOUND);
}

const MAX_FOUND = 2_000;

function numbersOf(line: Line, waiting: PhoneLabel | null): { number: string; label: PhoneLabel | null }[] {
  const { text } = line;
  if (line.digits < 5 || !/\d[^\p{L}]{2,20}\d|\d{6}/u.test(text)) return [];
  // Behind a label of its own line even the plainest digits are a number.
  const labelled = waiting === null ? null : phonesIn(`${WORD[waiting]}: ${text}`);
  if (labelled) return labelled.map(({ printed: number, label }) => ({ number, label }));
  return phonesOf(line).map(({ printed: number, label }) => ({ number, label }));
}

const WORD: Record<PhoneLabel, string> = {
  phone: 'Tel',
  fax: 'Fax',
  mobile: 'Mobile',
  'toll-free': 'Toll free',
  urgent: 'Emergency',
  person: 'Call',
  desk: 'Support',
  other: 'No',
};
