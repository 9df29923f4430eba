import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadConfig, SettingsError } from '../../src/config.js';
import { parseDomainPolicies, serializeDomainPolicies } from '../../src/domain-policies.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'gleaner-policies-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function fileWith(text: string): string {
  const path = join(dir, `policies-${Math.random()}.yaml`);
  writeFileSync(path, text);
  return path;
}

const faultsOf = (env: Record<string, string>) => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
};

/** Any entry a policy file may hold, in the file's own words. */
const entries = fc
  .record(
    {
      tokens_per_interval: fc.integer({ min: 1, max: 10_000 }),
      interval_seconds: fc.integer({ min: 1, max: 86_400 }),
      min_interval_ms: fc.integer({ min: 0, max: 86_400_000 }),
      min_delay_ms: fc.integer({ min: 0, max: 500 }),
      max_delay_ms: fc.integer({ min: 500, max: 600_000 }),
      allowed_hours: fc.option(
        fc
          .record({ start: fc.integer({ min: 0, max: 23 }), end: fc.integer({ min: 0, max: 24 }) })
          .filter(({ start, end }) => start !== end),
      ),
      respect_robots_txt: fc.boolean(),
      robots_reason: fc.option(fc.string({ minLength: 1 }).filter((text) => text.trim() !== '')),
      max_concurrent: fc.option(fc.integer({ min: 1, max: 1000 })),
      browser_engine: fc.option(fc.constantFrom('shell', 'chromium')),
    },
    { requiredKeys: [] },
  )
  .map((entry) =>
    entry.respect_robots_txt === false && !entry.robots_reason ? { ...entry, robots_reason: 'agreed' } : entry,
  );

const hosts = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.constantFrom('localhost', 'default', '::1', '1:2:3:4:5:6:7:8', 'github.io', 'api.example.com', 'example.com'),
);

describe('domain policies', () => {
  it('Property 23: a policy file that is read and written again is an equivalent file', () => {
    fc.assert(
      fc.property(fc.dictionary(hosts, entries, { maxKeys: 8, noNullPrototype: true }), (domains) => {
        const { file, faults } = parseDomainPolicies(stringify({ domains }), 'policies.yaml');
        expect(faults).toEqual([]);
        // An empty default says nothing, so it need not be written back.
        const meant = Object.entries(domains).filter(
          ([name, entry]) => name !== 'default' || Object.keys(entry).length > 0,
        );
        expect(parse(serializeDomainPolicies(file))).toEqual({ domains: Object.fromEntries(meant) });
        expect(parseDomainPolicies(serializeDomainPolicies(file), 'again').file).toEqual(file);
      }),
      { numRuns: 200 },
    );
  });

  it('of the shipped file are read without a fault and respect robots.txt everywhere', () => {
    const { policies } = loadConfig({});
    expect(policies.forHost('www.linkedin.com')).toMatchObject({
      tokensPerInterval: 1,
      allowedHours: { start: 6, end: 22 },
    });
    expect(policies.forHost('indeed.com')).toMatchObject({ tokensPerInterval: 2, maxDelayMs: 3000 });
    for (const host of ['linkedin.com', 'indeed.com', 'anything.example']) {
      expect(policies.forHost(host).respectRobotsTxt).toBe(true);
    }
  });

  it('take the rate limit of the settings where the file names none', () => {
    const { policies } = loadConfig({ SCRAPER_RATE_LIMIT_TOKENS: '7', SCRAPER_RATE_LIMIT_INTERVAL_SECONDS: '3' });
    expect(policies.forHost('anything.example')).toMatchObject({ tokensPerInterval: 7, intervalSeconds: 3 });
    expect(policies.forHost('linkedin.com')).toMatchObject({ tokensPerInterval: 1, intervalSeconds: 15 });
  });

  it('fill what an entry leaves out from the entry called default', () => {
    const path = fileWith(
      'domains: { default: { max_concurrent: 2, max_delay_ms: 900 }, a.example: { min_delay_ms: 10 } }',
    );
    const { policies } = loadConfig({ SCRAPER_DOMAIN_POLICIES_PATH: path });
    expect(policies.forHost('a.example')).toMatchObject({ minDelayMs: 10, maxDelayMs: 900, maxConcurrent: 2 });
  });

  it('inherit from the domain of a host before the default, whatever the order in the file', () => {
    const path = fileWith(`domains:
  api.example.com: { max_delay_ms: 100 }
  example.com: { min_delay_ms: 50, min_interval_ms: 250 }
  default: { min_delay_ms: 900, max_delay_ms: 900 }
`);
    const { policies } = loadConfig({ SCRAPER_DOMAIN_POLICIES_PATH: path });
    expect(policies.forHost('api.example.com')).toMatchObject({ minDelayMs: 50, maxDelayMs: 100, minIntervalMs: 250 });
    expect(policies.limitKey('api.example.com')).toBe('example.com');
    expect(policies.laneKey('api.example.com')).toBe('api.example.com');
  });

  it('may be absent at the usual place but not at a chosen one', () => {
    const missing = join(dir, 'missing.yaml');
    expect(faultsOf({ SCRAPER_DOMAIN_POLICIES_PATH: missing })).toEqual([
      { key: missing, value: 'ENOENT', wish: 'a YAML file that can be read' },
    ]);
    expect(faultsOf({ SCRAPER_DOMAIN_POLICIES_PATH: dir })[0]?.value).toBe('EISDIR');
    const here = process.cwd();
    try {
      process.chdir(dir);
      expect(loadConfig({}).policies.forHost('x.example')).toMatchObject({ minDelayMs: 500, respectRobotsTxt: true });
    } finally {
      process.chdir(here);
    }
  });

  it.each(['', 'domains:', 'domains: {}', '# nothing here', 'domains: { a.example: }'])(
    'may say nothing: %j',
    (text) => {
      expect(parseDomainPolicies(text, 'x').faults).toEqual([]);
    },
  );
});

describe('a fault in a policy file', () => {
  it('names the place in the file, the value and the wish, beside the faults of the settings', () => {
    const path = fileWith(`
domains:
  example.com:
    tokens_per_interval: 0
    interval_second: 10
    respect_robots_txt: no way
    allowed_hours: { start: 9 }
  www.EXAMPLE.org: { min_delay_ms: 3000 }
  "*.example.net": {}
`);
    const faults = faultsOf({ SCRAPER_DOMAIN_POLICIES_PATH: path, SCRAPER_PORT: 'x' });
    const place = (name: string) => `${path}: domains.${name}`;
    expect(faults).toEqual([
      { key: 'SCRAPER_PORT', value: '"x"', wish: 'a whole number from 0 to 65535' },
      { key: place('example.com.tokens_per_interval'), value: '0', wish: 'a whole number from 1 to 10000' },
      {
        key: place('example.com.interval_second'),
        value: '10',
        wish: 'a key that exists (did you mean interval_seconds?)',
      },
      { key: place('example.com.respect_robots_txt'), value: '"no way"', wish: 'true or false' },
      expect.objectContaining({ key: place('example.com.allowed_hours'), value: '{"start":9}' }),
      expect.objectContaining({
        key: place('www.EXAMPLE.org'),
        wish: expect.stringContaining('here: www.example.org'),
      }),
      expect.objectContaining({ key: place('*.example.net') }),
      { key: place('www.EXAMPLE.org.max_delay_ms'), value: '2000', wish: 'at least min_delay_ms, which is 3000 here' },
    ]);
  });

  it.each(['', ' robots_reason: null', ' robots_reason: "  "'])(
    'is robots.txt switched off without a reason (%j)',
    (more) => {
      const text = `domains:\n  a.example:\n    respect_robots_txt: false\n   ${more}\n`;
      const keys = parseDomainPolicies(text, 'x').faults.map(({ key }) => key);
      expect(keys).toContain('x: domains.a.example.robots_reason');
      const reasoned = 'domains: { a.example: { respect_robots_txt: false, robots_reason: written permission } }';
      expect(parseDomainPolicies(reasoned, 'x').faults).toEqual([]);
    },
  );

  it.each([
    ['domains: [', 'valid YAML'],
    ['domains: { a.example: {}, a.example: {} }', 'valid YAML'],
    ['- a', 'a map with the key `domains`'],
    ['domains: [a]', 'a map of domains'],
    ['domain: {}', 'only the key `domains` at the top'],
    ['domains: { a.example: 3 }', 'a map of limits'],
    ['domains: { a.example: { constructor: 3 } }', 'a key that exists'],
    ['domains: { a.example: { __proto__: { min_delay_ms: 1 } } }', 'a key that exists'],
    ['domains: { "http://a.example/": {} }', 'a domain, host or IP address without port or wildcard'],
    ['domains: { a.example: { min_interval_ms: -1 } }', 'a whole number from 0 to 86400000'],
    ['domains: { a.example: { browser_engine: full } }', 'one of shell, chromium, or null'],
    [
      'domains: { "2001:db8:0:0:0:0:0:1": {} }',
      'a domain, host or IP address without port or wildcard, here: 2001:db8::1',
    ],
    ['domains: { "a.example:8080": {} }', 'a domain, host or IP address without port or wildcard, here: a.example'],
  ])('is found in %j', (text, wish) => {
    expect(parseDomainPolicies(text, 'x').faults.map((fault) => fault.wish)).toContain(wish);
  });

  it('is a delay range that what a host inherits turns upside down', () => {
    const text =
      'domains: { example.com: { min_delay_ms: 1500 }, api.example.com: { max_delay_ms: 1000 }, b.example.com: }';
    const path = fileWith(text);
    expect(faultsOf({ SCRAPER_DOMAIN_POLICIES_PATH: path })).toEqual([
      {
        key: `${path}: domains.api.example.com.max_delay_ms`,
        value: '1000',
        wish: 'at least min_delay_ms, which is 1500 here',
      },
    ]);
  });
});
