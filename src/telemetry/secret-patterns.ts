import { REDACTED } from '../domain/secret.js';

/**
 * What looks like a secret though nobody registered it. Every rule keeps what stands before the value, and is linear:
 * repetitions are of one character class each, with nothing optional behind them that they could give back to.
 */

/** Names whose value is secret wherever they stand, also at the end of a longer name (`webhook_secret`, `accessToken`). */
const NAMES = 'pass(?:word|wd|phrase)|pwd|secret|token|(?:api|service|access|private)[_-]?key|credentials?|signature';
/** Headers whose value is the rest of the line. */
const HEADERS = 'authorization|cookies?';
/** Names that mean something else in prose: only as parameters of a URL. */
const PARAMETERS = 'key|sig|auth|jwt|sid|session(?:_?id)?';

const DOUBLE_QUOTED = String.raw`(?:[^"\\]|\\[\s\S])*`;
const SINGLE_QUOTED = String.raw`(?:[^'\\]|\\[\s\S])*`;
const WORD = String.raw`(?:(?:bearer|basic)\s{1,4})?[^\s&"']+`;
const IS = String.raw`\\*["']?\s{0,4}(?:=>|[:=]|%3d)\s{0,4}`;

const PATTERNS = new RegExp(
  [
    // `://user:pass@`; the last @ before the host ends is the one that counts.
    String.raw`(?<userinfo>:\/\/)(?:[^\s\/?#"\\@]{0,1024}@)+`,
    String.raw`(?<encodedUserinfo>%3a%2f%2f)(?:[^\s\/?#"\\%&]|%(?!2f|40)[0-9a-f]{2}){0,1024}%40`,
    String.raw`(?<scheme>\bbearer(?:\s{1,4}|%20|\+))[\w.~+\/=%-]{6,}`,
    String.raw`(?<basic>\bbasic(?:\s{1,4}|%20|\+))(?<pair>[\w+\/=%-]{8,})`,
    String.raw`(?<jwt>(?<![\w-]))eyj[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
    String.raw`(?<header>(?:${HEADERS})${IS}(?:\[(?!redacted\])\s{0,4})?)(?:(?<open1>\\*")${DOUBLE_QUOTED}|(?<open2>\\*')${SINGLE_QUOTED}|[^\r\n]+)`,
    // Raw header lists: ["Authorization", "…"].
    String.raw`(?<listed>(?:${HEADERS}|${NAMES})\\*["'],\s{0,4})(?:(?<open3>\\*")${DOUBLE_QUOTED}|(?<open4>\\*')${SINGLE_QUOTED})`,
    String.raw`(?<named>(?:${NAMES})${IS})(?:(?<open5>\\*")${DOUBLE_QUOTED}|(?<open6>\\*')${SINGLE_QUOTED}|${WORD})`,
    `(?<parameter>(?:[?&;#]|%3f|%26)(?:${PARAMETERS})(?:=|%3d))${WORD}`,
  ].join('|'),
  'gi',
);

/** True for every text the rules above would change, and for some more; it is what ordinary lines pay. */
const HINT =
  /@|%40|bearer|basic|eyj|authorization|cookie|pass|pwd|secret|token|key|credential|sig|auth|jwt|sid=|sid%|session/i;

export const mayHoldSecret = (text: string): boolean => HINT.test(text);

export function redactPatterns(text: string): string {
  try {
    return text.replace(PATTERNS, (...args: unknown[]) => replacement(args.at(-1) as Found));
  } catch {
    // Megabytes between two quotes exhaust the matcher's stack. What cannot be judged is not shown.
    return REDACTED;
  }
}

/** The named groups of one match: the rule's own, with what it keeps, and perhaps an opening quote. */
type Found = Record<string, string | undefined>;

function replacement(found: Found): string {
  if (found.userinfo !== undefined) return `${found.userinfo}${REDACTED}@`;
  if (found.encodedUserinfo !== undefined) return `${found.encodedUserinfo}${REDACTED}%40`;
  const { pair, ...kept } = found;
  // "Basic authentication" is prose; credentials in base64 mix their letters.
  if (pair !== undefined && /^[A-Za-z]?[a-z]+$/.test(pair)) return `${kept.basic}${pair}`;
  return Object.values(kept).join('') + REDACTED;
}

const SECRET_NAME = new RegExp(`(?:${NAMES}|${HEADERS}|auth|sig|jwt)$`, 'i');
const SECRET_HEADER = /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?|x-[a-z-]{0,20}(?:key|token|secret|signature))$/i;
const PARAMETER_NAME = new RegExp(`^(?:${PARAMETERS})$`, 'i');
/** Where requests carry bodies and visits carry what they found: people's data, not the operator's. */
const CONTENT_NAME = /^(?:body|payload|html|results?|records?|extraction)$/i;

/** Is whatever stands under this key a secret? */
export const isSecretName = (key: string): boolean => key.length <= 128 && SECRET_NAME.test(key);
/** Does a URL's query parameter of this name hold a secret? */
export const isSecretParameter = (name: string): boolean => isSecretName(name) || PARAMETER_NAME.test(name);
/** In a raw header list the value follows the name as the next element. */
export const isSecretHeader = (text: string): boolean => text.length <= 40 && SECRET_HEADER.test(text);
export const isContentName = (key: string): boolean => CONTENT_NAME.test(key);
