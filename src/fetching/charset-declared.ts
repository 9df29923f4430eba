import { encodingOf } from './charset-labels.js';

/** What `Content-Type` says. */
export const headerEncoding = (contentType: string | null): string | null =>
  encodingOf(/;\s*charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec((contentType ?? '').slice(0, 500))?.[1] ?? null);

/**
 * `<meta charset>`, `<meta http-equiv content>` or the XML declaration; comments do not count. Browsers look at the
 * first 1024 bytes, and start again when the declaration comes later in the head; here both are one look.
 */
export function declaredEncoding(bytes: Uint8Array): string | null {
  const start = startOf(bytes, HEAD_BYTES).replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const label = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([^"']{1,40})["']/i.exec(start)?.[1] ?? metaCharset(start);
  const encoding = encodingOf(label);
  // It was read as single bytes, so it cannot be UTF-16; that is what people write who saved as UTF-8.
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}

/** `ja` of `<html lang="ja-JP">`. */
export const declaredLanguage = (bytes: Uint8Array): string | null =>
  /<html\s[^>]{0,300}?\blang\s*=\s*["']?([a-z-]{2,12})/i.exec(startOf(bytes, HEAD_BYTES))?.[1]?.toLowerCase() ?? null;

const HEAD_BYTES = 16_384;

const startOf = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, length)).toString('latin1');

function metaCharset(start: string): string | null {
  const end = start.search(/<body[\s>]/i);
  const head = end === -1 ? start : start.slice(0, end);
  for (const [tag] of head.matchAll(/<meta[\s/][^>]{0,400}/gi)) {
    const charset = attribute(tag, 'charset') ?? contentCharset(tag);
    if (charset) return charset;
  }
  return null;
}

/** Only where it stands for the header; any other `content` may speak of charsets too. */
function contentCharset(tag: string): string | null {
  if (attribute(tag, 'http-equiv')?.trim().toLowerCase() !== 'content-type') return null;
  return /charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec(attribute(tag, 'content') ?? '')?.[1] ?? null;
}

function attribute(tag: string, name: string): string | null {
  for (const [, found, quoted, single, bare] of tag.matchAll(ATTRIBUTE)) {
    if (found?.toLowerCase() === name) return quoted ?? single ?? bare ?? '';
  }
  return null;
}

const ATTRIBUTE = /([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+)))?/g;
