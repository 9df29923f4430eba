/** What a fetch brought. `html` is decoded text; `bytes` counts the decoded body. */
export interface Page {
  url: string;
  finalUrl: string;
  httpStatus: number;
  /** Lower-case names; only what adapters may need. */
  headers: Record<string, string>;
  contentType: string | null;
  html: string;
  bytes: number;
  renderedBy: 'http' | 'browser';
  redirects: string[];
}
