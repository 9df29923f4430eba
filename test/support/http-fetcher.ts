import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { createEgress, type LookupAll } from '../../src/fetching/egress.js';
import { createHttpFetcher, type HttpFetcher, type HttpFetcherOptions } from '../../src/fetching/http-fetch.js';

interface Way {
  /** All of loopback unless told otherwise. */
  allow?: string[];
  lookup?: LookupAll;
}

/** The HTTP fetcher as the service makes it, in a hurry, and with loopback for the internet. */
export function openHttpFetcher({ allow, lookup, ...options }: Way & Partial<HttpFetcherOptions> = {}): HttpFetcher {
  return createHttpFetcher({
    egress: createEgress({ allow: allow ?? ['127.0.0.0/8'], ...(lookup && { lookup }) }),
    maxBodyBytes: 1024 * 1024,
    connectTimeoutMs: 2000,
    headersTimeoutMs: 2000,
    bodyTimeoutMs: 2000,
    maxRedirects: 20,
    clock: systemClock,
    ...options,
  });
}
