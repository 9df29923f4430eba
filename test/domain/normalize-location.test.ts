import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeLocation, normalizePlace } from '../../src/domain/normalize/location.js';
import { NormalizedLocation } from '../../src/domain/records.js';

const read = (raw: string) => {
  const { city, state_region, country } = normalizeLocation(raw);
  return [city, state_region, country];
};

describe('a printed location', () => {
  it.each([
    ['Seattle, WA', 'Seattle', 'WA', null],
    ['Kirkland WA', 'Kirkland', 'WA', null],
    ['Chicago, Illinois', 'Chicago', 'Illinois', null],
    ['London, UK', 'London', null, 'UK'],
    ['London, England, United Kingdom', 'London', 'England', 'United Kingdom'],
    ['St. Louis, Missouri, United States', 'St. Louis', 'Missouri', 'United States'],
    ['München, Bayern, Deutschland', 'München', 'Bayern', 'Deutschland'],
    ['Wilmington, DE, USA', 'Wilmington', 'DE', 'USA'],
    ['Paris · France', 'Paris', null, 'France'],
    ['US-MD-Potomac', 'Potomac', 'MD', 'US'],
    ['525 East Stop 18 Road, Greenwood, IN 46142', 'Greenwood', 'IN', null],
    ['2150 Fir Street, Vancouver BC V6J 3B5', 'Vancouver', 'BC', null],
    [', Florida, United States', null, 'Florida', 'United States'],
    ['Florida, United States', null, 'Florida', 'United States'],
    ['Portugal', null, null, 'Portugal'],
    ['Texas', null, 'Texas', null],
  ])('%s is split', (raw, city, region, country) => {
    expect(read(raw)).toEqual([city, region, country]);
    expect(normalizeLocation(raw).raw).toBe(raw);
  });

  it.each([
    ['Leipzig, DE', 'Leipzig', null, null],
    ['Tbilisi, Georgia', 'Tbilisi', null, null],
    ['New York, United States', null, null, 'United States'],
    ['Georgia', null, null, null],
    ['Springfield', null, null, null],
    ['Mayfair, London', null, null, null],
    ['Remote', null, null, null],
    ['Remote, US', null, null, 'US'],
    ['Greater Boston Area, United States', null, null, 'United States'],
    ['Edmonton or Calgary, Alberta, Canada', null, 'Alberta', 'Canada'],
    ['4085 Johns Creek Parkway Suwanee, GA 30024', null, 'GA', null],
    ['Berlin, Germany; Paris, France', null, null, null],
    ['12 High Street, Ely, United Kingdom', null, null, 'United Kingdom'],
    ['a, b, c, d, e, f, g, France', null, null, null],
  ])('%s is not guessed at', (raw, city, region, country) => {
    expect(read(raw)).toEqual([city, region, country]);
  });

  it('is kept as it was given, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(',', ' ', 'UK', 'IN', '46142', 'Ely', '-', 'US') })),
        (raw) => {
          const location = normalizeLocation(raw);
          expect(location.raw).toBe(raw);
          expect(Value.Check(NormalizedLocation, location)).toBe(true);
          for (const part of [location.city, location.state_region, location.country]) {
            if (part !== null) expect(raw).toContain(part);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a location in parts', () => {
  it('keeps the parts the page names, and prints them where it prints nothing', () => {
    expect(
      normalizePlace({ street: '1 Mill Lane', city: ' Ely ', state_region: '-', postal_code: 'CB7', country: 'UK' }),
    ).toEqual({
      city: 'Ely',
      state_region: null,
      country: 'UK',
      raw: '1 Mill Lane, Ely, CB7, UK',
    });
    expect(normalizePlace({ city: 'Ely', raw: 'Ely, Cambs' })).toMatchObject({ city: 'Ely', raw: 'Ely, Cambs' });
  });

  it('is nothing without a part, and no location if it is something else', () => {
    expect(normalizePlace({})).toBeNull();
    expect(normalizePlace({ city: 7 })).toBeNull();
    expect(normalizePlace(['Ely'])).toBeUndefined();
    expect(normalizePlace(7)).toBeUndefined();
  });
});
