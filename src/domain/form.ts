/** How a page is asked for: `body` is what a form says that is posted there; `null` asks with GET. */
export interface Asking {
  url: string;
  body: string | null;
}

/**
 * Every page has an address, also one that only a posted form brings: the one it would have if the form were sent with
 * GET. So it can be queued, told from others and written down like any. `posted` names the parts of the query that go
 * into the body when it is asked for.
 */
export function askingFor(address: string, posted: readonly string[] | null | undefined): Asking {
  if (!posted) return { url: address, body: null };
  const url = new URL(address);
  const parts = url.search.slice(1).split('&');
  const isPosted = (part: string): boolean => posted.includes(nameOf(part));
  url.search = parts.filter((part) => !isPosted(part)).join('&');
  return { url: url.href, body: parts.filter(isPosted).join('&') };
}

const nameOf = (part: string): string => [...new URLSearchParams(part).keys()][0] ?? '';

/** Of what a posted form says. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';
