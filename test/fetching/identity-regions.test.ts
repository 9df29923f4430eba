import { getCountry, getTimezone } from 'countries-and-timezones';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdentities } from '../../src/fetching/identity.js';
import { knownRegions } from '../../src/fetching/regions.js';

/** South, west, north and east of each country, with its islands as far as there are cities of ours on them. */
const BOUNDS: Record<string, [south: number, west: number, north: number, east: number]> = {
  AE: [22.6, 51.5, 26.1, 56.4],
  AR: [-55.1, -73.6, -21.7, -53.6],
  AT: [46.3, 9.5, 49.1, 17.2],
  AU: [-43.7, 112.9, -10.0, 153.7],
  BE: [49.4, 2.5, 51.6, 6.5],
  BG: [41.2, 22.3, 44.3, 28.7],
  BR: [-33.8, -74.0, 5.3, -34.7],
  CA: [41.6, -141.1, 83.2, -52.6],
  CH: [45.8, 5.9, 47.9, 10.5],
  CL: [-56.0, -75.7, -17.4, -66.4],
  CN: [18.1, 73.4, 53.6, 134.8],
  CO: [-4.3, -79.1, 12.6, -66.8],
  CZ: [48.5, 12.0, 51.1, 18.9],
  DE: [47.2, 5.8, 55.1, 15.1],
  DK: [54.5, 8.0, 57.8, 15.2],
  EE: [57.5, 21.7, 59.7, 28.3],
  EG: [21.9, 24.6, 31.7, 36.9],
  ES: [27.6, -18.2, 43.8, 4.4],
  FI: [59.7, 20.5, 70.1, 31.6],
  FR: [41.3, -5.2, 51.1, 9.6],
  GB: [49.8, -8.7, 60.9, 1.8],
  GR: [34.7, 19.3, 41.8, 29.7],
  HK: [22.1, 113.8, 22.6, 114.5],
  HU: [45.7, 16.1, 48.6, 22.9],
  ID: [-11.1, 95.0, 6.1, 141.1],
  IE: [51.4, -10.7, 55.5, -5.9],
  IL: [29.4, 34.2, 33.4, 35.7],
  IN: [6.7, 68.1, 35.6, 97.5],
  IT: [35.4, 6.6, 47.1, 18.6],
  JP: [24.0, 122.9, 45.6, 146.0],
  KR: [33.1, 125.0, 38.7, 131.0],
  LT: [53.8, 20.9, 56.5, 26.9],
  LV: [55.6, 20.9, 58.1, 28.3],
  MX: [14.5, -118.5, 32.8, -86.6],
  MY: [0.8, 99.6, 7.4, 119.3],
  NL: [50.7, 3.3, 53.6, 7.3],
  NO: [57.9, 4.5, 71.2, 31.2],
  NZ: [-47.4, 166.3, -34.3, 178.6],
  PE: [-18.4, -81.4, 0.0, -68.6],
  PH: [4.5, 116.9, 21.2, 126.7],
  PL: [49.0, 14.1, 54.9, 24.2],
  PT: [32.3, -31.4, 42.2, -6.1],
  RO: [43.6, 20.2, 48.3, 29.8],
  SE: [55.3, 10.9, 69.1, 24.2],
  SG: [1.15, 103.6, 1.48, 104.1],
  SK: [47.7, 16.8, 49.7, 22.6],
  TH: [5.6, 97.3, 20.5, 105.7],
  TR: [35.8, 25.6, 42.2, 44.9],
  TW: [21.8, 119.3, 25.4, 122.1],
  UA: [44.3, 22.1, 52.4, 40.3],
  US: [24.5, -124.8, 49.4, -66.9],
  VN: [8.5, 102.1, 23.4, 109.6],
  ZA: [-34.9, 16.4, -22.1, 33.0],
};

const inAnyCase = (code: string) => fc.mixedCase(fc.constant(code));
const placed = fc.constantFrom(...knownRegions()).chain((code) => fc.tuple(fc.constant(code), inAnyCase(code)));
const seed = fc.integer();

describe('the place of an identity', () => {
  it('Property 15: Fingerprint geo-consistency with proxy region', () => {
    fc.assert(
      fc.property(placed, seed, ([code, region], start) => {
        const identities = createIdentities({ chromiumVersion: () => null, random: chance(start) });
        const { timezone, locale, languages, headers, geolocation } = identities.next(region);
        // The country's clock, under the name that is current there or an older one that means the same.
        expect(getCountry(code, { deprecated: true })?.timezones).toContain(timezone);

        expect(new Intl.Locale(locale).region).toBe(code);
        expect(languages[0]).toBe(locale);
        expect(languages[1]).toMatch(languageOf(locale));
        expect(headers['accept-language']!.split(/(?:;q=[\d.]+)?(?:,|$)/).filter(Boolean)).toEqual(languages);

        const { latitude, longitude } = geolocation!;
        const [south, west, north, east] = BOUNDS[code]!;
        expect(latitude).toBeGreaterThan(south);
        expect(latitude).toBeLessThan(north);
        expect(longitude).toBeGreaterThan(west);
        expect(longitude).toBeLessThan(east);
        // Clocks follow the sun, if at some distance: Spain keeps Berlin's time, Argentina Brazil's.
        const sunHours = longitude / 15;
        expect(Math.abs(getTimezone(timezone)!.utcOffset / 60 - sunHours)).toBeLessThan(1.75);
      }),
      { numRuns: 1000 },
    );
  });

  it('is in one of fifty regions, and in several timezones of a large one', () => {
    expect(knownRegions().length).toBeGreaterThanOrEqual(50);
    expect(knownRegions().sort()).toEqual(Object.keys(BOUNDS).sort());
    const identities = createIdentities({ chromiumVersion: () => null, random: chance(1) });
    const zones = new Set(Array.from({ length: 300 }, () => identities.next('US').timezone));
    expect([...zones].sort()).toEqual([
      'America/Chicago',
      'America/Denver',
      'America/Los_Angeles',
      'America/New_York',
      'America/Phoenix',
    ]);
  });
});

const languageOf = (locale: string): RegExp => new RegExp(`^${new Intl.Locale(locale).language}\\b`);

/** A small generator (mulberry32), so that every run can be repeated from its seed. */
function chance(start: number): () => number {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
