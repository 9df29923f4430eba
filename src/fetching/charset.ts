import { TextDecoder } from 'node:util';

/**
 * Turns bytes into text as a browser would: byte order mark, then the header, then what the document says of itself,
 * then UTF-8 if it is valid UTF-8, else windows-1252. Wrong bytes become U+FFFD, nothing throws.
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const decoder =
    decoderFor(byteOrderMark(bytes)) ?? decoderFor(headerCharset(contentType)) ?? decoderFor(declaredCharset(bytes));
  if (decoder && decoder.encoding !== 'windows-1252') return decoder.decode(bytes);
  if (decoder) return decodeWindows1252(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeWindows1252(bytes);
  }
}

/** How far a browser looks for a declaration. */
const PRESCAN_BYTES = 1024;

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return null;
}

const headerCharset = (contentType: string | null): string | null =>
  /;\s*charset\s*=\s*["']?\s*([^\s"';]+)/i.exec(contentType ?? '')?.[1] ?? null;

/** `<meta charset>`, `<meta http-equiv content>` or the XML declaration; comments do not count. */
function declaredCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, PRESCAN_BYTES)).toString(
    'latin1',
  );
  const text = start.replace(/<!--[\s\S]*?(-->|$)/g, '');
  const label =
    /^\s*<\?xml\s[^>]*encoding\s*=\s*["']([^"']+)["']/i.exec(text)?.[1] ??
    /<meta\s[^>]*charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(text)?.[1];
  if (!label) return null;
  // It was read as single bytes, so it cannot be UTF-16; that is what people write who saved as UTF-8.
  if (/^utf-?16/i.test(label)) return 'utf-8';
  return label.toLowerCase() === 'x-user-defined' ? 'windows-1252' : label;
}

function decoderFor(label: string | null): TextDecoder | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}

/**
 * Node's fast path (seen in 20.20) takes windows-1252 for ISO-8859-1 and so loses quotes, dashes and the euro sign.
 * Its streaming path does not, and for an encoding of single bytes there is nothing to flush.
 */
const decodeWindows1252 = (bytes: Uint8Array): string =>
  new TextDecoder('windows-1252').decode(bytes, { stream: true });
