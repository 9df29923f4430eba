import type { Line, Region } from './lines.js';
import { phonesOf } from './phones-written.js';
import { NAME_BEFORE_STREET } from './site-name.js';

/** A line, or the part of one between two separators; a contact line's numbers and addresses are breaks. */
export interface Segment {
  /** Empty for a break. */
  text: string;
  line: number;
  region: Region;
  isAddressTag: boolean;
}

/** The page's lines, where a footer in one line becomes several: `Acme | 1 Mill Lane | Ely | T 01353 000111`. */
export function segmentsOf(lines: readonly Line[]): Segment[] {
  const segments: Segment[] = [];
  lines.forEach((line, at) => {
    const isAddressTag = line.block?.name === 'address';
    for (const text of partsOf(line)) segments.push({ text, line: at, region: line.region, isAddressTag });
  });
  return segments;
}

// Longer lines are prose.
const MAX_LINE = 500;
const MAX_UNNUMBERED = 200;
// Space is folded in lines; a pattern that begins with a run of it would be tried at every word.
const SEPARATOR = / ?[|•·◊♦■▪●◆►»¦⋅∙] ?|(?<!\d) [-–—~/] | [-–—~/] (?!\d)| [-–—] (?=\d{4,5} \p{L})| : /u;

/** `We are located at 410 Creek Road, Fredericksburg, TX 78624.`: what a sentence says of its own place. */
const SENTENCE =
  /\b(?:located|situated|based|[Vv]isit|[Ff]ind|[Ss]top by|[Cc]ome see|[Oo]ur (?:office|store|shop|address|showroom))\b[^.!?]{0,60}?\b(?:at|is|:)\s+(\d{1,6}[A-Za-z]?\s[\p{Lu}\d][^;!?]{2,90}?,?\s\p{Lu}\p{L}[\p{L} .'-]{0,30},?\s+(?:[A-Z]{2}\.?|\p{Lu}\p{Ll}{3,12})\s+\d{5}(?:-\d{4})?)(?!\d)/u;

function partsOf(line: Line): string[] {
  const { text } = line;
  if (text.length > MAX_LINE) return [''];
  const hasDigit = line.digits > 0;
  const told = hasDigit && text.length > 40 && /\d{5}/.test(text) ? SENTENCE.exec(text)?.[1] : undefined;
  if (told !== undefined) return ['', told, ''];
  // A long line without any figure is prose, whatever dashes are in it.
  if (!hasDigit && !(text.length <= MAX_UNNUMBERED && mayPart(text) && SEPARATOR.test(text))) return [text];
  const parts = withoutContacts(line).split(SEPARATOR);
  return parts.flatMap(nameApart).map(tidy);
}

/** Is there maybe a separator? Asked of most lines of every page, so they are looked over by hand. */
function mayPart(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > LAST_PLAIN || code === BAR) return true;
    if (code === SPACE && BETWEEN_SPACES.has(text.charCodeAt(at + 1))) return true;
  }
  return false;
}

const [BAR, SPACE, LAST_PLAIN] = [124, 32, 127];
const BETWEEN_SPACES: ReadonlySet<number> = new Set([...'-~/:'].map((sign) => sign.charCodeAt(0)));

/** Numbers, e-mail and web addresses give way to a bar. */
function withoutContacts(line: Line): string {
  let rest = line.text;
  for (const { start, end } of phonesOf(line).toReversed()) rest = `${rest.slice(0, start)} | | ${rest.slice(end)}`;
  return /@|:\/\/|www\./i.test(rest) ? rest.replace(WEB_ADDRESS, ' | | ') : rest;
}

const WEB_ADDRESS = /\S{1,64}@\S{3,100}|\b(?:https?:\/\/|www\.)\S{1,100}/gi;

function nameApart(part: string): string[] {
  const name = / \d/.test(part) ? NAME_BEFORE_STREET.exec(part)?.[1] : undefined;
  return name === undefined ? [part] : [name, part.slice(name.length)];
}

// `Tel:` that has lost its number is a break too.
const tidy = (part: string): string =>
  withoutTrailingLabel(part)
    .replace(/^[\s,;.–-]+|[\s,;–-]+$/g, '')
    .replace(/(?<=\p{L}{4}|\d)\.$/u, '')
    .trim();

/** Looked for at the end only, where labels are. */
function withoutTrailingLabel(part: string): string {
  const cut = Math.max(0, part.length - 30);
  const end = part.slice(cut);
  const at = end.search(TRAILING_LABEL);
  return at === -1 || (at === 0 && cut > 0) ? part : part.slice(0, cut + at);
}

// A single letter is one only with its colon or alone: `100 Main St E` ends in a direction.
const TRAILING_LABEL =
  /(?:^|[\s,;.])(?:tel(?:ephone|efon|efone|éfono|efono)?|tél(?:éphone)?|phone|ph|fax|telefax|mobile|mob|call(?: us)?|e-?mail|toll[ -]?free|web(?:site)?|url)[\s.:)]{0,3}$|(?:^|[\s,;.])[ptfmewPTFMEW]\s?:\s?$|^[ptfmewPTFMEW]\.?$/i;
