import { TextDecoder } from 'node:util';

/** The encoding a label stands for, misspelt or not; `null` for none that we can read. */
export function encodingOf(label: string | null): string | null {
  if (label === null || label.length > 40) return null;
  const key = label.toLowerCase().replace(/[^a-z0-9]/g, '');
  return known(label) ?? known(SPELLINGS.find(([spelling]) => spelling.test(key))?.[1](key) ?? null);
}

/** What people and programs write for what the Encoding Standard calls otherwise; without dashes and dots. */
const SPELLINGS: readonly (readonly [RegExp, (key: string) => string])[] = [
  [/^utf8(?:mb[34]|bom|nobom|sig)?$/, () => 'utf-8'],
  [/^(?:unicode)?utf8$|^unicode$/, () => 'utf-8'],
  [/^(?:ansi|ascii|latin|latin1|isolatin1|iso88591|westerneuropean|xuserdefined)$/, () => 'windows-1252'],
  [/^iso8859(?:[2-9]|1[0-5])$/, (key) => `iso-8859-${key.slice(7)}`],
  [/^(?:windows|win|cp|ms|xcp|microsoftcp)125[0-8]$/, (key) => `windows-${key.slice(-4)}`],
  [/^(?:cp|ms|windows)?(?:932|31j)$|^x?(?:sjis|shiftjis)$/, () => 'shift_jis'],
  [/^x?eucjp$/, () => 'euc-jp'],
  [/^x?euckr$|^(?:cp|ms)949$|^ksc5601/, () => 'euc-kr'],
  [/^(?:x?gbk|gb2312|gb231280|euccn|(?:cp|ms)936)$/, () => 'gbk'],
  [/^gb18030/, () => 'gb18030'],
  [/^(?:x?big5|big5hkscs|(?:cp|ms)950)$/, () => 'big5'],
  [/^koi8(?:r|u|ru)$/, (key) => `koi8-${key[4]}`],
  [/^(?:tis620|(?:windows|cp|ms)874)$/, () => 'windows-874'],
];

function known(label: string | null): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

const MULTI_BYTE: ReadonlySet<string> = new Set([
  ...['shift_jis', 'euc-jp', 'iso-2022-jp', 'euc-kr', 'gbk', 'gb18030', 'big5'],
]);

/** More than one byte a character, so that not every sequence of bytes is text. */
export const isMultiByte = (encoding: string): boolean => MULTI_BYTE.has(encoding);

/** The text if every byte of it has a meaning in this encoding; a character cut off at the end does not matter. */
export function readStrictly(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

export const reads = (bytes: Uint8Array, encoding: string): boolean => readStrictly(bytes, encoding) !== null;
