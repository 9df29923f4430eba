/** What a fetch brought. `html` is decoded text; `bytes` counts the decoded body. */
export interface Page {
  url: string;
  /** What the task asks for, where a visit was led elsewhere before it came to `url`. */
  target?: string;
  finalUrl: string;
  httpStatus: number;
  /** Lower-case names; only what adapters may need. */
  headers: Record<string, string>;
  contentType: string | null;
  html: string;
  bytes: number;
  renderedBy: 'http' | 'browser';
  redirects: string[];
  /** A picture of the page (PNG), where one was asked for. */
  screenshot?: Uint8Array | null;
}

export const REFUSAL_CODES = [
  'blocked_page',
  'login_wall',
  'consent_wall',
  'error_page',
  'missing_page',
  'empty_page',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export const isRefusalCode = (code: string): code is RefusalCode => (REFUSAL_CODES as readonly string[]).includes(code);

/** Is this the page that was asked for? If not: what it is instead, and the sign it was known by (`cloudflare_challenge`). */
export type PageVerdict = { kind: 'content' } | { kind: 'refusal'; code: RefusalCode; sign: string };
