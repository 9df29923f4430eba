import { declaredLanguage } from './charset-declared.js';
import { readStrictly } from './charset-labels.js';

/**
 * The encoding of bytes that are not UTF-8 and of which nobody says anything true. A document that names its language
 * gives the encodings to choose from; without one, only Japanese and Cyrillic are told by their letters, because they
 * cannot be mistaken for anything else. All the rest is windows-1252, as in a browser.
 */
export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const language = declaredLanguage(bytes);
  const family = FAMILIES[language?.slice(0, 2) ?? ''];
  return family?.(sample, language ?? '') ?? japanese(sample) ?? cyrillic(sample) ?? 'windows-1252';
}

const SAMPLE_BYTES = 262_144;

type Family = (sample: Uint8Array, language: string) => string | null;

const always =
  (encoding: string): Family =>
  () =>
    encoding;

/** The first that gives every byte a meaning. */
const firstOf =
  (...encodings: string[]): Family =>
  (sample) =>
    encodings.find((encoding) => readStrictly(sample, encoding) !== null) ?? null;

const chinese: Family = (sample, language) =>
  /tw|hk|hant/.test(language) ? firstOf('big5', 'gb18030')(sample, '') : firstOf('gb18030', 'big5')(sample, '');

const slavic: Family = (sample) => cyrillic(sample) ?? 'windows-1251';

const FAMILIES: Readonly<Record<string, Family>> = {
  ja: (sample) => japanese(sample) ?? firstOf('shift_jis', 'euc-jp')(sample, ''),
  zh: chinese,
  ko: firstOf('euc-kr'),
  ...Object.fromEntries(['ru', 'uk', 'bg', 'be', 'mk'].map((language) => [language, slavic])),
  ...Object.fromEntries(
    ['cs', 'sk', 'pl', 'hu', 'sl', 'hr', 'ro', 'bs'].map((language) => [language, centralEuropean]),
  ),
  el: always('windows-1253'),
  tr: always('windows-1254'),
  he: always('windows-1255'),
  ar: always('windows-1256'),
  fa: always('windows-1256'),
  lt: always('windows-1257'),
  lv: always('windows-1257'),
  et: always('windows-1257'),
  vi: always('windows-1258'),
  th: always('windows-874'),
};

/** Every sentence of Japanese has hiragana, and nothing else read by mistake does. */
function japanese(sample: Uint8Array): string | null {
  return ['iso-2022-jp', 'shift_jis', 'euc-jp'].find((encoding) => isJapanese(readStrictly(sample, encoding))) ?? null;
}

function isJapanese(text: string | null): boolean {
  if (text === null) return false;
  const foreign = count(text, /[^\p{ASCII}]/gu);
  const hiragana = count(text, /\p{Script=Hiragana}/gu);
  const usual = count(
    text,
    /[\p{Script=Hiragana}\p{Script=Han}\u2460-\u24ff\u3000-\u303f\u30a0-\u33ff\uff01-\uff60]/gu,
  );
  return hiragana >= 5 && hiragana >= foreign / 10 && usual >= foreign * 0.95;
}

/** Words of Cyrillic letters, nearly half of them the six most frequent of all languages that use them. */
function cyrillic(sample: Uint8Array): string | null {
  return ['windows-1251', 'koi8-r'].find((encoding) => isCyrillic(readStrictly(sample, encoding))) ?? null;
}

function isCyrillic(text: string | null): boolean {
  if (text === null) return false;
  const foreign = count(text, /[^\p{ASCII}]/gu);
  const frequent = count(text, /[оаеинт]/g);
  const small = count(text, /[а-яёіїєў]/g);
  return foreign >= 20 && small >= foreign * 0.6 && frequent >= small * 0.36;
}

// Windows has letters where ISO-8859-2 has control characters; ISO-8859-2 has letters where Windows has signs.
function centralEuropean(sample: Uint8Array): string {
  let isoLetters = 0;
  for (let at = 1; at < sample.length; at += 1) {
    const byte = sample[at] ?? 0;
    if (byte >= 0x80 && byte < 0xa0) return 'windows-1250';
    if (ISO_LETTERS.has(byte) && isLetter(sample[at - 1] ?? 0)) isoLetters += 1;
  }
  return isoLetters > 0 ? 'iso-8859-2' : 'windows-1250';
}

/** ą Ś ś Š Ť ť Ž ľ ž in ISO-8859-2. */
const ISO_LETTERS: ReadonlySet<number> = new Set([0xb1, 0xa6, 0xb6, 0xa9, 0xab, 0xbb, 0xae, 0xb5]);

const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
