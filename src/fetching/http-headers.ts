import type { IncomingHttpHeaders } from 'undici/types/header.js';
import { FORM_TYPE } from '../domain/form.js';
import { isThisMachineToBrowsers } from '../domain/host-name.js';
import type { Identity } from '../ports/fetcher.js';
import { ACCEPT_ENCODING } from './http-body.js';

/** Of a document, in the words of version 156; a test holds it against the Chromium that runs. */
const ACCEPT =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

/**
 * The headers of a page request: names, values and order as Chromium sends them for our browser fetcher. `Host` and
 * `Connection` are the transport's. One thing cannot be the same everywhere: where Node cannot unpack zstd, we do not
 * ask for it, and Chromium cannot be kept from asking.
 */
export function pageHeaders(
  identity: Identity,
  url: URL,
  { cookie, isPosted = false }: { cookie: string | undefined; isPosted?: boolean },
): string[] {
  const isTrusted = isTrustworthy(url);
  const { headers } = identity;
  const pairs: [string, string | undefined][] = [
    ...(isTrusted ? HINTS.map((name): [string, string | undefined] => [name, headers[name]]) : []),
    ['Upgrade-Insecure-Requests', '1'],
    ['Content-Type', isPosted ? FORM_TYPE : undefined],
    ['User-Agent', identity.userAgent],
    ['Origin', isPosted ? url.origin : undefined],
    ['Accept-Language', headers['accept-language'] ?? identity.locale],
    ['Accept', ACCEPT],
    ...(isTrusted ? FETCH_METADATA : []),
    // Brotli and zstd only where no old proxy in between can read along and break it.
    ['Accept-Encoding', isTrusted ? ACCEPT_ENCODING : 'gzip, deflate'],
    ['Cookie', cookie],
  ];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

/** https, and what never leaves the machine: there Chromium says more about itself and asks for more. */
const isTrustworthy = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || isThisMachineToBrowsers(hostname);

/** The hints sent without being asked for; the others of an identity are for page scripts. */
const HINTS = ['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform'];

/** Of an open navigation: somebody typed the address. */
const FETCH_METADATA: [string, string][] = [
  ['Sec-Fetch-Site', 'none'],
  ['Sec-Fetch-Mode', 'navigate'],
  ['Sec-Fetch-User', '?1'],
  ['Sec-Fetch-Dest', 'document'],
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
const KEPT = [
  ...['content-type', 'content-language', 'last-modified', 'etag', 'link', 'x-robots-tag'],
  // Walls name themselves here.
  ...['server', 'cf-mitigated', 'x-datadome', 'x-amzn-waf-action'],
];

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
