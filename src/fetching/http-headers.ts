import type { IncomingHttpHeaders } from 'undici/types/header.js';
import type { Identity } from '../ports/fetcher.js';
import { ACCEPT_ENCODING } from './http-body.js';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8';

/**
 * The headers of a page request, in the order in which Chromium sends them. Client hints and fetch metadata go only
 * over https, as they do there.
 */
export function pageHeaders(identity: Identity, url: URL, cookie: string | undefined): string[] {
  const secure = url.protocol === 'https:';
  const { headers } = identity;
  const pairs: [string, string | undefined][] = [
    ...(secure ? HINTS.map((name): [string, string | undefined] => [name, headers[name]]) : []),
    ['upgrade-insecure-requests', '1'],
    ['user-agent', identity.userAgent],
    ['accept', ACCEPT],
    ...(secure ? FETCH_METADATA : []),
    ['accept-encoding', ACCEPT_ENCODING],
    ['accept-language', headers['accept-language'] ?? identity.locale],
    ['cookie', cookie],
  ];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

/** The hints sent without being asked for; the others of an identity are for page scripts. */
const HINTS = ['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform'];

/** Of an open navigation: somebody typed the address. */
const FETCH_METADATA: [string, string][] = [
  ['sec-fetch-site', 'none'],
  ['sec-fetch-mode', 'navigate'],
  ['sec-fetch-user', '?1'],
  ['sec-fetch-dest', 'document'],
];

/** For files that are read by us and not by a page, such as robots.txt: under our own name. */
export const plainHeaders = (userAgent: string): string[] => [
  'user-agent',
  userAgent,
  'accept',
  'text/plain,*/*;q=0.5',
  'accept-encoding',
  ACCEPT_ENCODING,
];

/** What adapters may need of an answer; cookies and the like are not kept. */
const KEPT = ['content-type', 'content-language', 'last-modified', 'etag', 'link', 'x-robots-tag'];

export function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = oneHeader(headers, name);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

export function oneHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
