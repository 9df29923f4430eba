import { foldSpace } from '../../domain/normalize/text.js';
import type { Line } from './lines.js';
import { asCompanyName, hasLegalForm } from './site-name.js';

/** Who the page says holds the copyright, last line first: `© 2001–2024 Hoistworks, Inc. All rights reserved.` */
export function copyrightHolders(lines: readonly Line[]): string[] {
  const notices = lines.filter(({ text }) => SIGN.test(text)).slice(-MAX_NOTICES);
  return notices.reverse().flatMap(({ text }) => holdersIn(text));
}

/** Who made the website is not who owns it. */
export const CREDIT =
  /\b(?:(?:web\s?)?(?:site|pages?|design|development|hosting)(?:ed)?\s(?:and\s\w{4,12}\s)?by|(?:designed|developed|powered|created|built|hosted|maintained)\s(?:and\s\w{4,12}\s)?by|web{1,2}[\s-]?(?:design|gestaltung|bureau|byrå|agentur|master)\b|(?:site\s)?credits?\s?:|cr[ée]ation\s?(?:du site|web|internet)?\s?:|(?:conception|r[ée]alisation|umsetzung|realisierung|realizzazione|realizacja|realizace|realizácia|produktion|diseño|diseñado|gestaltung|ontwerp)\s?(?:(?:et|und|e|y|en)\s\p{L}{4,14}\s?)?(?:(?:web|du site|del sito|strony|webu)\s?)?(?::|par\b|da\b|por\b|von\b|door\b)|tvorba\s(?:web|str[áa]n)|desarrollado por|desenvolvido por|realizzato da|wykonanie\s?:)/iu;

const MAX_NOTICES = 5;
const SIGN = /©|\(c\)\s{0,3}(?:\d{4}|copyright)|copyright\b|&copy/i;
const NOTICE =
  /(?:©|\(c\)|copyright|all content copyright)(?:\s?[-–—/]\s?(?:(?:19|20)?\d{2}\b|present|now)|[\s©,.:|–-]|\(c\)|copyright|by\b|(?:19|20)\d{2}\b){0,12}/giu;

function holdersIn(line: string): string[] {
  const text = foldSpace(line.slice(-MAX_LINE));
  const found: string[] = [];
  for (const match of [...text.matchAll(NOTICE)].slice(0, 5)) {
    if (PART_ONLY.test(text.slice(0, match.index))) continue;
    const behind = nameAtStart(text.slice(match.index + match[0].length));
    const name = behind ?? nameAtEnd(text.slice(0, match.index));
    if (name !== null) found.push(name);
  }
  return found;
}

const MAX_LINE = 600;
// Who made the design or the pictures holds no more than that.
const PART_ONLY = /\b(?:web ?site|design|theme|template|photo\w{0,8}|images?|icons?|map data)\s{0,2}$/i;

/** Up to where the name ends: a bar, a dash, the usual words, a year, or a full stop that is no abbreviation's. */
function nameAtStart(text: string): string | null {
  const whole = (text.split(ENDS, 1)[0] ?? '').trim();
  const sentence = SENTENCE.exec(whole.slice(0, 120))?.[1];
  if (sentence === undefined || hasLegalForm(whole)) return asCompanyName(whole);
  return asCompanyName(hasLegalForm(`${sentence}.`) ? `${sentence}.` : sentence);
}

const SENTENCE = /^(.{2,90}?)(?<!\b(?:St|Dr|Mr|Mrs|Ms|Mt|Ft|No|Jr|Sr|\p{Lu}))\.(?=\s+[\p{Lu}\d]|$)/u;

/** `Rope Works - Copyright © 2014`, `2014 Acme ©` */
function nameAtEnd(text: string): string | null {
  const last = text.split(/\s[-–—]\s|[|•·♦◊]|(?:19|20)\d{2}|\ball rights\b.*$/i).findLast((part) => part.trim() !== '');
  return last === undefined || last.length > 60 ? null : asCompanyName(last);
}

const ENDS =
  /\s[-–—~]\s|[|©•·♦◊■\n(]|,?\s?\ball rights\b|\balle rechte\b|\btous droits\b|\btodos (?:los|os) d|\btutti i d|\bvšechna práva\b|\bwszelkie prawa\b|\bregistered (?:in|office|company)\b|\bcompany (?:no|number|reg)|\bvat\b|,?\s(?:19|20)\d{2}\b|\b(?:site|web ?site|web)?\s?(?:design(?:ed)?|developed|powered|created|built|hosted|maintained)\s(?:and\s\w{4,12}\s)?by\b|\bweb ?design\b|\bprivacy\b|,?\s(?:or|and) its\b|\bserving\b|\bsince\b|\bproudly\b|\best\.\s|\bterms\b|\bsite ?map\b|\bcontact us\b|\bis a (?:registered|trademark|division)|\btel(?:ephone)?\b[.:]|\bphone\b|\bp\.?o\.? box\b|,\s(?=\d)/i;
