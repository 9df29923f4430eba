/**
 * What the guards cost a visit: the real list, from egress to identity, over many domains whose robots.txt is known and
 * whose policy lets everybody through. Every pass ends as a visit does, with the guards told how it went.
 *
 *   npm run bench:guards
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalLimiter } from '../src/backends/embedded/local-limiter.js';
import { systemClock as clock } from '../src/backends/embedded/system-clock.js';
import { createPolicyBook, DEFAULT_POLICY } from '../src/domain/policy.js';
import { parseEgressAllow } from '../src/domain/target-url.js';
import { passGuards } from '../src/engine/pass-guards.js';
import { createEgress } from '../src/fetching/egress.js';
import { createGuards } from '../src/fetching/guards/index.js';
import { createIdentities } from '../src/fetching/identity.js';
import { createProxies } from '../src/fetching/proxies.js';
import { createRobots } from '../src/fetching/robots.js';
import type { Guard } from '../src/ports/guard.js';
import { openHttpFetcher } from '../test/support/http-fetcher.js';
import { visitPlan } from '../test/support/visit-plan.js';

const PASSES = 20_000;
const DOMAINS = 100;
const ROUNDS = 5;
const ALLOW = ['127.0.0.0/8'];

const signal = new AbortController().signal;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

async function setUp() {
  const server = createServer((_, response) => response.end('User-agent: *\nDisallow: /private\n'));
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const egress = createEgress({ allow: ALLOW });
  const http = openHttpFetcher();
  const robots = createRobots({ fetchText: http.fetchText, clock, agent: 'gleaner' });
  const { list } = createGuards({
    clock,
    log: quiet,
    policies: createPolicyBook({ ...DEFAULT_POLICY, tokensPerInterval: 10_000, intervalSeconds: 1 }, new Map()),
    limiter: createLocalLimiter({ clock }),
    egress,
    allow: parseEgressAllow(ALLOW),
    robots,
    browsers: { canServe: () => true, lack: () => null },
    breaker: { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 },
    credentials: null,
    proxies: createProxies([], { clock, cooldownMs: 0, checkIntervalMs: 60_000, probe: async () => {}, log: quiet }),
    identities: createIdentities({ chromiumVersion: () => '156.0.7000.1', random: Math.random }),
  });
  const urls = Array.from({ length: DOMAINS }, (_, n) => `http://127.0.1.${n + 1}:${port}/jobs/${n}`);
  for (const url of urls) await robots.attempt(new URL(url));
  const close = async (): Promise<void> => {
    await http.close();
    server.closeAllConnections();
    server.close();
  };
  return { list, urls, close };
}

/** Microseconds per pass. */
async function measure(guards: readonly Guard[], urls: string[]): Promise<number> {
  const begin = performance.now();
  for (let n = 0; n < PASSES; n += 1) {
    const plan = visitPlan(urls[n % urls.length]!);
    const passage = await passGuards(guards, plan, signal);
    if (passage.kind !== 'go') throw new Error(`a guard said ${passage.kind}`);
    for (const guard of guards) guard.after?.(plan, { error: null });
  }
  return ((performance.now() - begin) * 1000) / PASSES;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const { list, urls, close } = await setUp();
const ways: [string, readonly Guard[]][] = [
  ['no guards', []],
  ...list.map((guard): [string, readonly Guard[]] => [guard.name, [guard]]),
  ['all of them', list],
];
const times = new Map(ways.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, guards] of ways) times.get(name)!.push(await measure(guards, urls));
}
const none = median(times.get('no guards')!);
console.log(`${PASSES} passes over ${DOMAINS} domains, medians of ${ROUNDS} interleaved rounds\n`);
console.log('| guards | µs a pass | times no guards |\n| --- | --- | --- |');
for (const [name] of ways) {
  const us = median(times.get(name)!);
  console.log(`| ${name} | ${us.toFixed(1)} | ${(us / none).toFixed(1)} |`);
}
await close();
