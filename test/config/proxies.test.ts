import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAllCountries } from 'countries-and-timezones';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig, SettingsError } from '../../src/config.js';
import { isCountryCode } from '../../src/domain/country-code.js';
import { parseEndpoint, parseProxyFile } from '../../src/proxy-file.js';
import { tempDir } from '../support/temp-dir.js';

const directory = tempDir('proxies');
afterAll(() => directory.remove());

let files = 0;
function fileWith(text: string): string {
  const path = join(directory.path, `proxies-${files++}.yaml`);
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

describe('proxies', () => {
  it('come from the variable and from the file, in this order, with their regions', () => {
    const path = fileWith(
      'proxies:\n  - url: https://u:pass-3@c.example:8443\n    region: us\n  - url: http://d.example:3128',
    );
    const { proxies } = loadConfig({
      SCRAPER_PROXY_ENDPOINTS: 'http://u:pass-1@a.example:8080?region=DE, socks5h://b.example:1080/,',
      SCRAPER_PROXIES_PATH: path,
    });
    expect(proxies).toEqual([
      { id: '1:a.example', url: 'http://u:pass-1@a.example:8080', region: 'DE' },
      { id: '2:b.example', url: 'socks5h://b.example:1080/', region: null },
      { id: '3:c.example', url: 'https://u:pass-3@c.example:8443', region: 'US' },
      { id: '4:d.example', url: 'http://d.example:3128', region: null },
    ]);
  });

  it('are none where nothing is said, and a file that was asked for must be there', () => {
    expect(loadConfig({}).proxies).toEqual([]);
    const path = join(directory.path, 'not-there.yaml');
    expect(faultsOf({ SCRAPER_PROXIES_PATH: path })).toEqual([
      { key: path, value: 'ENOENT', wish: 'a YAML file that can be read' },
    ]);
  });

  it('are in the example file as the service reads them', () => {
    const text = readFileSync(new URL('../../config/proxies.example.yaml', import.meta.url), 'utf8');
    const { endpoints, faults } = parseProxyFile(text, 'example');
    expect(faults).toEqual([]);
    expect(endpoints.map(({ url, region }) => [new URL(url).protocol, region])).toEqual([
      ['http:', 'DE'],
      ['https:', 'US'],
      ['socks5:', null],
    ]);
  });

  it('of an empty file are none', () => {
    for (const text of ['', '# nothing', 'proxies:', 'proxies: []', '{}']) {
      expect(parseProxyFile(text, 'f'), text).toEqual({ endpoints: [], faults: [] });
    }
  });
});

describe('an endpoint', () => {
  it.each([
    'http://proxy.example',
    'http://proxy.example:0x50',
    'ftp://proxy.example:21',
    'socks4://proxy.example:1080',
    'http://proxy.example:8080/path',
    'http://proxy.example:8080?region=ZZ',
    'http://proxy.example:8080?region=UK',
    'http://proxy.example:8080?region=',
    'http://proxy.example:8080?region=DE&region=US',
    'http://proxy.example:8080?country=DE',
    'http://proxy.example:8080#region=DE',
    'http://u:100%@proxy.example:8080',
    `socks5://u:${'p'.repeat(256)}@proxy.example:1080`,
    'http://:8080',
    'proxy.example:8080',
  ])('%s is refused, and not shown', (text) => {
    expect(parseEndpoint(text)).toBeNull();
    expect(faultsOf({ SCRAPER_PROXY_ENDPOINTS: text })).toEqual([
      expect.objectContaining({ key: 'SCRAPER_PROXY_ENDPOINTS: entry 1', value: '(hidden)' }),
    ]);
  });

  it('says of each that is refused which one it is and what is amiss, and never what it says', () => {
    const bad = {
      'ftp://u:canary@proxy.example:21': 'begins with',
      'http://u:can#ary@proxy.example:8080': '%23',
      'http://u:canary@proxy.example:8080?country=DE': 'no query but',
      'http://u:canary@proxy.example:8080?region=ZZ': 'country code',
      'http://u:canary@proxy.example': 'port',
    };
    const faults = faultsOf({ SCRAPER_PROXY_ENDPOINTS: ['http://fine.example:1', ...Object.keys(bad)].join(',') });
    expect(faults.map(({ key }) => key)).toEqual([2, 3, 4, 5, 6].map((n) => `SCRAPER_PROXY_ENDPOINTS: entry ${n}`));
    for (const [n, part] of Object.values(bad).entries()) expect(faults[n]!.wish).toContain(part);
    expect(JSON.stringify(faults)).not.toMatch(/can.?ary/);
  });

  it('keeps whatever credentials it is given, and nothing of the region', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }).map(encodeURIComponent),
        fc.string({ maxLength: 60 }).map(encodeURIComponent),
        fc.constantFrom('http', 'https', 'socks5', 'socks5h'),
        fc.constantFrom('', '?region=NO', '/?region=no'),
        (user, password, scheme, query) => {
          const endpoint = parseEndpoint(`${scheme}://${user}:${password}@p.example:8080${query}`)!;
          const url = new URL(endpoint.url);
          expect(decodeURIComponent(url.username)).toBe(decodeURIComponent(user));
          expect(decodeURIComponent(url.password)).toBe(decodeURIComponent(password));
          expect(endpoint.region).toBe(query === '' ? null : 'NO');
          expect(url.search).toBe('');
        },
      ),
    );
  });
});

describe('a fault of the file', () => {
  const faults = (text: string) => parseProxyFile(text, 'f.yaml').faults;

  it('names the place and the wish, all at once', () => {
    const text = [
      'proxies:',
      '  - url: http://u:hush-hush@p.example',
      '  - url: http://u:hush-hush@p.example:80?region=DE',
      '  - url: http://u:hush-hush@p.example:80',
      '    region: NO',
      '  - { url: "http://p.example:80", region: Germany, pasword: hush-hush }',
      '  - http://u:hush-hush@p.example:80',
      '  - region: DE',
      'proxy: hush-hush',
    ].join('\n');
    expect(faults(text).map(({ key, value }) => [key, value])).toEqual([
      ['f.yaml: proxies[0].url', '(hidden)'],
      ['f.yaml: proxies[1].url', '(hidden)'],
      ['f.yaml: proxies[3].pasword', '(hidden)'],
      ['f.yaml: proxies[3].region', '"Germany"'],
      ['f.yaml: proxies[4]', '(hidden)'],
      ['f.yaml: proxies[5].url', 'nothing'],
      ['f.yaml: proxy', '(hidden)'],
    ]);
    expect(faults('proxies:\n  - url: http://p.example:80\n    region: false')).toMatchObject([{ value: 'false' }]);
    expect(faults('- a')).toMatchObject([{ key: 'f.yaml' }]);
  });

  it('never shows a password, however broken the file is', () => {
    for (const text of [
      'http://u:hush-hush@p:80: x',
      'proxies: [{ "http://u:hush-hush@p:80": x }]',
      'proxies: *hush-hush',
    ]) {
      expect(faults(text), text).not.toEqual([]);
      expect(JSON.stringify(faults(text))).not.toContain('hush-');
    }
    const password = 'hush-hush-hush';
    const sound = `proxies:\n  - url: http://u:${password}@p.example:8080\n    region: "DE"\n`;
    fc.assert(
      fc.property(fc.nat(sound.length), fc.string({ maxLength: 5 }), fc.nat(3), (at, text, cut) => {
        const broken = sound.slice(0, at) + text + sound.slice(at + cut);
        // A break within the word itself leaves no whole word to find.
        expect(JSON.stringify(faults(broken))).not.toContain('hush-');
      }),
      { numRuns: 1000 },
    );
  });
});

it('a country is what ISO 3166 knows, and nothing that only looks like one', () => {
  expect(Object.keys(getAllCountries()).filter((code) => !isCountryCode(code))).toEqual([]);
  for (const code of ['UK', 'EU', 'ZZ', 'de', 'D', 'DEU', 'XX', '']) expect(isCountryCode(code), code).toBe(false);
});
