import { createLastingLimiter } from './backends/embedded/lasting-limiter.js';
import { createLocalLimiter } from './backends/embedded/local-limiter.js';
import { systemClock } from './backends/embedded/system-clock.js';
import type { Config } from './config.js';
import { Secret } from './domain/secret.js';
import { parseEgressAllow } from './domain/target-url.js';
import { type Fetchers, HTTP_TIMEOUTS, type Wiring } from './fetchers.js';
import { createCredentials } from './fetching/credentials.js';
import { createGuards } from './fetching/guards/index.js';
import { createIdentities } from './fetching/identity.js';
import { createProxies } from './fetching/proxies.js';
import { createProbe } from './fetching/proxy-probe.js';
import { createRobots } from './fetching/robots.js';
import type { Database } from './store/database.js';
import { createSiteNotes } from './store/site-notes.js';

interface GuardSurroundings extends Wiring {
  fetchers: Fetchers;
  database: Database;
  onSecret(secret: Secret): () => void;
}

/** What is asked before each visit, with what an earlier process knew of the sites. */
export async function openVisitGuards(
  { settings, policies, proxies: choices }: Config,
  { fetchers: { egress, http, browsers }, database, onSecret, clockOf, telemetry, onClose }: GuardSurroundings,
) {
  const { log } = telemetry;
  const egressAllow = parseEgressAllow(settings.egressAllow);
  const proxies = createProxies(choices, {
    clock: clockOf('proxies'),
    cooldownMs: settings.proxyDomainCooldownSeconds * 1_000,
    checkIntervalMs: settings.proxyHealthCheckIntervalSeconds * 1_000,
    probe: createProbe({ egress, url: settings.proxyHealthCheckUrl, connectTimeoutMs: HTTP_TIMEOUTS.connectTimeoutMs }),
    log,
  });
  onClose(() => proxies.stop());
  const credentials =
    settings.backendApiUrl && settings.backendServiceKey
      ? createCredentials({
          baseUrl: settings.backendApiUrl,
          serviceKey: new Secret(settings.backendServiceKey),
          cacheTtlMs: settings.credentialCacheTtlSeconds * 1_000,
          maxRetries: settings.credentialMaxRetries,
          inUseMs: 2 * settings.taskTimeoutSeconds * 1_000,
          onSecret,
          clock: clockOf('credentials'),
          log,
        })
      : null;
  if (credentials) onClose(() => credentials.close());
  const limiter = createLastingLimiter({
    limiter: createLocalLimiter({ clock: systemClock }),
    notes: createSiteNotes(database, 'limit'),
    clock: systemClock,
  });
  const robots = createRobots({ fetchText: http.fetchText, clock: clockOf('visits'), agent: settings.robotsAgent });
  const guards = createGuards({
    clock: clockOf('visits'),
    log,
    policies,
    limiter,
    egress,
    allow: egressAllow,
    robots,
    browsers,
    breaker: {
      windowSize: settings.cbWindowSize,
      failureThreshold: settings.cbFailureThreshold,
      cooldownMs: settings.cbCooldownSeconds * 1_000,
    },
    circuitNotes: createSiteNotes(database, 'circuit'),
    credentials,
    proxies,
    identities: createIdentities({ chromiumVersion: browsers.version, random: Math.random }),
  });
  await Promise.all([limiter.recall(), guards.breaker.recall()]);
  return { egressAllow, proxies, limiter, robots, guards };
}
