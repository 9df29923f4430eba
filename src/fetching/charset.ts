import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { declaredEncoding, headerEncoding } from './charset-declared.js';
import { guessEncoding } from './charset-guess.js';
import { isMultiByte, reads } from './charset-labels.js';

/**
 * Turns bytes into text: byte order mark, then the header, then what the document says of itself, as browsers do. But
 * a value with U+FFFD or `Ã©` in it is never a true one, so a declaration that the bytes disprove does not count:
 *
 * 1. What is UTF-8, but for a few wrong bytes, is UTF-8 whatever single-byte encoding is declared: that is no chance.
 * 2. What is declared as UTF-8 and is not is what else is declared, or what its language suggests.
 *
 * A few wrong bytes in good UTF-8 stay U+FFFD: nobody knows what they were. Nothing throws.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const encoding = byteOrderMark(bytes) ?? encodingOf(bytes, headerEncoding(contentType));
  // Node's fast path (seen in 20.20) takes windows-1252 for ISO-8859-1 and so loses quotes, dashes and the euro sign.
  // Its streaming path does not, and for an encoding of single bytes there is nothing to flush.
  return new TextDecoder(encoding).decode(bytes, { stream: encoding === 'windows-1252' });
}

/** Most pages say at once what they are, and are it; what they say of themselves then need not be looked for. */
const encodingOf = (bytes: Uint8Array, header: string | null): string =>
  header === 'utf-8' && isWholeUtf8(bytes) ? header : chooseEncoding(bytes, header, declaredEncoding(bytes));

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

function chooseEncoding(bytes: Uint8Array, header: string | null, own: string | null): string {
  const declared = [header, own].filter((encoding) => encoding !== null);
  const [first] = declared;
  if (first?.startsWith('utf-16') && bytes.subarray(0, NUL_WINDOW).includes(0)) return first;
  // Before UTF-8, because two characters of GBK may look like it, and ISO-2022-JP always does.
  if (first !== undefined && isMultiByte(first) && reads(bytes, first)) return first;
  if (isWholeUtf8(bytes) || isMostlyUtf8(bytes)) return 'utf-8';

  const [legacy, other] = declared.filter((encoding) => !encoding.startsWith('utf-'));
  if (legacy === undefined) return guessEncoding(bytes);
  if (other === undefined || other === legacy) return legacy;
  // Header and document contradict each other. Servers send their default for pages they do not know.
  return guessEncoding(bytes) === other ? other : legacy;
}

/** Every tag in UTF-16 has a NUL in every second byte. */
const NUL_WINDOW = 1024;

/** Bodies may be cut at a limit, in the middle of a character; but one odd byte behind plain ASCII is no such thing. */
function isWholeUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true;
  const whole = withoutCutEnd(bytes);
  return whole.length < bytes.length && isUtf8(whole) && !isAscii(whole);
}

function withoutCutEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back && byte <= 0xf4 ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

/** Characters of more than one byte that are right, against bytes that are wrong. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let right = 0;
  let wrong = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    const more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    const isRight = more > 0 && byte <= 0xf4 && isContinued(bytes, at, more);
    if (isRight) {
      right += 1;
      at += more;
    } else wrong += 1;
  }
  return right >= 4 * wrong;
}

function isContinued(bytes: Uint8Array, at: number, more: number): boolean {
  for (let step = 1; step <= more; step += 1) if (((bytes[at + step] ?? 0) & 0xc0) !== 0x80) return false;
  return true;
}
