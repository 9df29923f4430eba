import { normalizeEmail } from '../../domain/normalize/contact.js';

/**
 * The address that Cloudflare's scrape shield hides in an attribute or a link's fragment: hexadecimal bytes, all but
 * the first one masked by the first.
 */
export function decodeCloudflareEmail(hex: string): string | null {
  if (!/^(?:[0-9a-f]{2}){4,254}$/i.test(hex)) return null;
  const [key = 0, ...masked] = hex.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const bytes = Uint8Array.from(masked, (byte) => byte ^ key);
  return normalizeEmail(new TextDecoder().decode(bytes));
}

/** What the shield puts in place of a `mailto:` link. */
export const protectedPart = (href: string): string | null =>
  /\/cdn-cgi\/l\/email-protection#([0-9a-f]{8,512})/i.exec(href)?.[1] ?? null;
