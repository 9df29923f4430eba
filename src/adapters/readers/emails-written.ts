import { getPublicSuffix, parse } from 'tldts';
import { normalizeEmail } from '../../domain/normalize/contact.js';

/** The e-mail addresses in a line of text, in order: plain ones, and those that are disguised from harvesters. */
export function emailsIn(line: string): string[] {
  const text = line.replace(INVISIBLE, '');
  const found = [...plain(text), ...(DISGUISE.test(text) ? disguised(text) : [])];
  return [...new Set(found)];
}

/** The same for a line that the page prints from right to left: `moc.emca@ofni`. */
export function reversedEmailsIn(line: string): string[] {
  const mirrored = [...line.replace(INVISIBLE, '').slice(0, MAX_LINE)].reverse().join('');
  return line.includes('@') && plain(line).length === 0 ? plain(mirrored) : [];
}

const MAX_LINE = 2_000;
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** Around every sign what can belong to an address; nothing is searched twice. */
function plain(text: string): string[] {
  const found: string[] = [];
  for (let at = text.indexOf('@'); at !== -1 && found.length < MAX_FOUND; at = text.indexOf('@', at + 1)) {
    const local = /[\p{L}\p{N}._%+'&-]{1,64}$/u.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    const host = /^(?:[\p{L}\p{N}-]{1,63}\.){1,5}\p{L}{2,24}/u.exec(text.slice(at + 1, at + 260))?.[0];
    const address = local && host ? addressOf(local, host) : null;
    if (address !== null) found.push(address);
  }
  return found.length > 0 || !text.includes('@') ? found : spaced(text);
}

const MAX_FOUND = 50;

/** `E-mail: info @ acme.com`: only behind the word, since people meet "@ acme.com" too. */
function spaced(text: string): string[] {
  const [, local, host] =
    /\be-?mail\b[^\p{L}\p{N}@]{0,5}([\w.+-]{1,64})\s{0,2}@\s{0,2}([\w-]{1,63}(?:\.[\w-]{1,63}){1,4})/iu.exec(text) ??
    [];
  const address = local && host ? addressOf(local, host) : null;
  return address === null ? [] : [address];
}

const DISGUISE = /[[({<]\s?(?:at|@|ät|a|arroba|zavin[aá][cč]|ma[lł]pa|kukac|chiocciola)\s?[\])}>]|\sat\s/i;
const DOT = String.raw`(?:\s?[[({<]\s?(?:dot|punkt|point|punto|ponto|te[cč]ka|kropka|\.)\s?[\])}>]\s?|\sdot\s|\.)`;
const HOST = String.raw`([\p{L}\p{N}-]{1,63}(?:${DOT}[\p{L}\p{N}-]{1,63}){1,4})`;
const LOCAL = String.raw`(?<![\p{L}\p{N}._+-])([\p{L}\p{N}_+-]{1,40}(?:${DOT}?[\p{L}\p{N}_+-]{1,40}){0,2})`;
const SIGN = String.raw`[[({<]\s?(?:at|@|ät|a|arroba|zavin[aá][cč]|ma[lł]pa|kukac|chiocciola)\s?[\])}>]`;
const BRACKETED = new RegExp(String.raw`${LOCAL}\s?${SIGN}\s?${HOST}`, 'giu');
// Without brackets both words must be there, or the sign shouted: "info at acme.com" is a sentence more often.
const SPELLED = /(?<![\p{L}\p{N}._+-])([\w.+-]{1,64})\sat\s([\w-]{1,63}(?:\sdot\s[\w-]{1,63}){1,4})(?![\w-])/giu;
const SHOUTED = /(?<![\p{L}\p{N}._+-])([\w.+-]{1,64})\sAT\s([\w-]{1,63}(?:(?:\sDOT\s|\.)[\w-]{1,63}){1,4})/gu;

function disguised(text: string): string[] {
  const line = text.slice(0, MAX_LINE);
  const found: string[] = [];
  for (const pattern of [BRACKETED, SPELLED, SHOUTED]) {
    for (const [, local = '', host = ''] of line.matchAll(pattern)) {
      const address = addressOf(undotted(local), undotted(host));
      if (address !== null) found.push(address);
    }
  }
  return found;
}

const undotted = (text: string): string => text.replace(new RegExp(DOT, 'giu'), '.');

/** Only hosts somebody could have registered: `logo@2x.png` and `me@home.tonight` are none. */
function addressOf(local: string, host: string): string | null {
  const name = local.replace(/^[.'&%-]+|\.+$/g, '');
  const known = knownHost(host) ?? knownHost(host.replace(/(?<=\p{Ll})\p{Lu}\p{L}*$/u, ''));
  return known === null || name === '' ? null : normalizeEmail(`${name}@${known}`);
}

// `info@acme.comPhone` is two elements without a space between them.
function knownHost(host: string): string | null {
  const lower = host.toLowerCase();
  const { isIcann, domain } = parse(lower, { validateHostname: false });
  return isIcann && domain !== null && getPublicSuffix(lower) !== lower ? lower : null;
}
