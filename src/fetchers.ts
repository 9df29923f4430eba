import { type Config, isChromiumSandboxed } from './config.js';
import { createBrowserFetcher } from './fetching/browser-fetch.js';
import { createBrowsers } from './fetching/browsers.js';
import { createEgress } from './fetching/egress.js';
import { createEgressProxy } from './fetching/egress-proxy.js';
import { createHttpFetcher } from './fetching/http-fetch.js';
import type { Clock } from './ports/clock.js';
import type { Telemetry } from './ports/telemetry.js';

export const HTTP_TIMEOUTS = { connectTimeoutMs: 10_000, headersTimeoutMs: 30_000, bodyTimeoutMs: 30_000 };
const ACQUIRE_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;
const HUNG_AFTER_MS = 5_000;
const MAX_REDIRECTS = 20;
const MiB = 1024 * 1024;

/** What every part of the service that is opened here needs of it. */
export interface Wiring {
  clockOf(part: string): Clock;
  telemetry: Telemetry;
  /** To be closed with the service, last opened first. */
  onClose(close: () => Promise<unknown>): void;
}

export type Fetchers = ReturnType<typeof openFetchers>;

/** Getting pages: the way out, plain HTTP, browsers. */
export function openFetchers(
  { settings, policies }: Pick<Config, 'settings' | 'policies'>,
  { clockOf, telemetry, onClose }: Wiring,
) {
  const { log } = telemetry;
  const egress = createEgress({ allow: settings.egressAllow });
  const http = createHttpFetcher({
    egress,
    clock: clockOf('visits'),
    ...HTTP_TIMEOUTS,
    maxBodyBytes: settings.maxBodyBytes,
    maxRedirects: MAX_REDIRECTS,
  });
  onClose(() => http.close());
  const egressProxy = createEgressProxy({ egress, log });
  onClose(() => egressProxy.stop());
  const browsers = createBrowsers({
    chromiumPath: settings.chromiumPath,
    engine: settings.browserEngine,
    demanded: policies.engines(),
    sandbox: isChromiumSandboxed(settings),
    egressProxy,
    size: settings.browserPoolSize,
    max: settings.browserPoolMax,
    contextsPerBrowser: settings.contextsPerBrowser,
    pageLimit: settings.browserPageLimit,
    maxAgeMs: settings.browserMaxAgeSeconds * 1_000,
    memoryLimitBytes: settings.browserMemoryMb * MiB,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    closeTimeoutMs: CLOSE_TIMEOUT_MS,
    hungAfterMs: HUNG_AFTER_MS,
    clock: clockOf('browsers'),
    onRetire: (reason) => telemetry.browserRetired(reason),
    log,
  });
  onClose(() => browsers.shutdown());
  const browser = createBrowserFetcher({
    poolFor: browsers.poolFor,
    egressProxy,
    maxBodyBytes: settings.maxBodyBytes,
    navigationTimeoutMs: settings.navigationTimeoutMs,
    clock: clockOf('visits'),
    random: Math.random,
  });
  return { egress, http, egressProxy, browsers, browser };
}
