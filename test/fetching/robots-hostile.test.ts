import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { MAX_ROBOTS_RULES } from '../../src/domain/robots-rules.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import { createRobots } from '../../src/fetching/robots.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { verdictOf } from '../support/robots.js';
import { leaping, serve } from './robots-kit.js';

let fetcher: HttpFetcher;

beforeAll(() => {
  fetcher = openHttpFetcher({ headersTimeoutMs: 30_000, bodyTimeoutMs: 30_000 });
});

afterAll(() => fetcher.close());

const rules = (count: number): string =>
  `User-agent:*\n${Array.from({ length: count }, (_, n) => `Disallow:/${n.toString(36)}`).join('\n')}`;

describe('a robots.txt that is made to do harm', () => {
  it('counts as unreachable where it holds more rules than we keep', async () => {
    const { origin, asked } = await serve((_, response) => void response.end(rules(MAX_ROBOTS_RULES + 1)));
    const robots = createRobots({ fetchText: fetcher.fetchText, clock: leaping, agent: 'gleaner' });
    expect(await verdictOf(robots, `${origin}/-`, leaping)).toMatchObject({
      allowed: false,
      basis: 'unreachable',
      httpStatus: 200,
      rule: null,
    });
    // The same file would not read better a second later.
    expect(asked()).toBe(1);
  });

  it('displaces others from memory by what it occupies there, not by its length', async () => {
    let text = rules(MAX_ROBOTS_RULES);
    const { port } = await serve((_, response) => void response.end(text), { host: '0.0.0.0' });
    const hosts = Array.from({ length: 15 }, (_, n) => `http://127.0.1.${n + 1}:${port}/-`);
    const knownAfterAll = async (): Promise<number> => {
      const robots = createRobots({ fetchText: fetcher.fetchText, clock: systemClock, agent: 'gleaner' });
      for (const url of hosts) expect(await verdictOf(robots, url)).toMatchObject({ allowed: true, basis: 'rules' });
      return hosts.filter((url) => robots.known(new URL(url)) !== null).length;
    };
    // 15 × 0.27 MB of text, but 15 × 5.6 MB of rules; 64 MiB may be kept.
    const kept = await knownAfterAll();
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(14);
    text = 'User-agent: *\nDisallow: /x\n';
    expect(await knownAfterAll()).toBe(15);
  });
});
