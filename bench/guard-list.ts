import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalLimiter } from '../src/backends/embedded/local-limiter.js';
import { systemClock as clock } from '../src/backends/embedded/system-clock.js';
import { createPolicyBook, DEFAULT_POLICY } from '../src/domain/policy.js';
import { parseEgressAllow } from '../src/domain/target-url.js';
import { createEgress } from '../src/fetching/egress.js';
import { createGuards } from '../src/fetching/guards/index.js';
import { createIdentities } from '../src/fetching/identity.js';
import { createProxies } from '../src/fetching/proxies.js';
import { createRobots } from '../src/fetching/robots.js';
import { openHttpFetcher } from '../test/support/http-fetcher.js';
import { memoryNotes } from '../test/support/memory-notes.js';

const ALLOW = ['127.0.0.0/8'];
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** The real list, over domains whose robots.txt is known and whose policy lets everybody through. */
export async function openGuards(domains: number) {
  const server = createServer((_, response) => response.end('User-agent: *\nDisallow: /private\n'));
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const http = openHttpFetcher();
  const robots = createRobots({ fetchText: http.fetchText, clock, agent: 'gleaner' });
  const policies = createPolicyBook({ ...DEFAULT_POLICY, tokensPerInterval: 10_000, intervalSeconds: 1 }, new Map());
  const { list } = createGuards({
    circuitNotes: memoryNotes(),
    clock,
    log: quiet,
    policies,
    limiter: createLocalLimiter({ clock }),
    egress: createEgress({ allow: ALLOW }),
    allow: parseEgressAllow(ALLOW),
    robots,
    browsers: { canServe: () => true, lack: () => null },
    breaker: { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 },
    credentials: null,
    proxies: createProxies([], { clock, cooldownMs: 0, checkIntervalMs: 60_000, probe: async () => {}, log: quiet }),
    identities: createIdentities({ chromiumVersion: () => '156.0.7000.1', random: Math.random }),
  });
  const urls = Array.from({ length: domains }, (_, n) => `http://127.0.1.${n + 1}:${port}/jobs/${n}`);
  for (const url of urls) await robots.attempt(new URL(url));
  const close = async (): Promise<void> => {
    await http.close();
    server.closeAllConnections();
    server.close();
  };
  return { list, policies, urls, close };
}
