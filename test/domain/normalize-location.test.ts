import { describe, expect, it } from 'vitest';
import { normalizeLocation, normalizePlace } from '../../src/domain/normalize/location.js';

const read = (raw: string) => {
  const { city, state_region, country } = normalizeLocation(raw);
  return [city, state_region, country];
};

describe('a printed location', () => {
  it.each([
    ['Seattle, WA', 'Seattle', 'WA', null],
    ['Dayton OH', 'Dayton', 'OH', null],
    ['Iowa City IA', 'Iowa City', 'IA', null],
    ['Chicago, Illinois', 'Chicago', 'Illinois', null],
    ['Plano, TX 75024', 'Plano', 'TX', null],
    ['Seattle, WA (King County) 98101', 'Seattle', 'WA', null],
    ['Lebanon, PA', 'Lebanon', 'PA', null],
    ['New York, NY', 'New York', 'NY', null],
    ['New York, New York', 'New York', 'New York', null],
    ['Washington, D.C.', 'Washington', 'D.C.', null],
    ['London, UK', 'London', null, 'UK'],
    ['London, England, United Kingdom', 'London', 'England', 'United Kingdom'],
    ['Norwich, Norfolk, England', 'Norwich', 'Norfolk', null],
    ['Stockport, Cheshire', 'Stockport', 'Cheshire', null],
    ['Dublin, County Dublin, Ireland', 'Dublin', 'County Dublin', 'Ireland'],
    ['St. Paul, Minnesota, United States', 'St. Paul', 'Minnesota', 'United States'],
    ['München, Bayern, Deutschland', 'München', 'Bayern', 'Deutschland'],
    ['Warszawa, Mazowieckie, Polska', 'Warszawa', 'Mazowieckie', 'Polska'],
    ['Barcelona, Cataluña, España', 'Barcelona', 'Cataluña', 'España'],
    ['Paris, Île-de-France, France', 'Paris', 'Île-de-France', 'France'],
    ['Bengaluru, Karnataka, India', 'Bengaluru', 'Karnataka', 'India'],
    ['Linz, Österreich', 'Linz', null, 'Österreich'],
    ['Москва, Россия', 'Москва', null, 'Россия'],
    ['Αθήνα, Ελλάδα', 'Αθήνα', null, 'Ελλάδα'],
    ['Brno, Jihomoravský kraj', 'Brno', 'Jihomoravský kraj', null],
    ['Melbourne, VIC', 'Melbourne', 'VIC', null],
    ['Wilmington, DE, USA', 'Wilmington', 'DE', 'USA'],
    ['Paris · France', 'Paris', null, 'France'],
    ['US-OH-Dayton', 'Dayton', 'OH', 'US'],
    ['DE-Berlin', 'Berlin', null, 'DE'],
    ['US - CA - San Jose', 'San Jose', 'CA', 'US'],
    ['USA, Texas, Austin', 'Austin', 'Texas', 'USA'],
    ['Germany - Berlin', 'Berlin', null, 'Germany'],
    ['12 Elm Road, Dayton, OH 45402', 'Dayton', 'OH', null],
    ['412 Mill Creek Parkway Dayton, OH 45402', 'Dayton', 'OH', null],
    ['21 Pine Street, Vancouver BC V5K 0A1', 'Vancouver', 'BC', null],
    ['12 High Street, Ely, United Kingdom', 'Ely', null, 'United Kingdom'],
    ['10115 Berlin', 'Berlin', null, null],
    ['Mumbai 400001', 'Mumbai', null, null],
    [', Florida, United States', null, 'Florida', 'United States'],
    ['Florida, United States', null, 'Florida', 'United States'],
  ])('%s is split', (raw, city, region, country) => {
    expect(read(raw)).toEqual([city, region, country]);
    expect(normalizeLocation(raw).raw).toBe(raw);
  });

  it.each([
    ['Portugal', null, null, 'Portugal'],
    ['日本', null, null, '日本'],
    ['US', null, null, 'US'],
    ['Texas', null, 'Texas', null],
    ['Bayern', null, 'Bayern', null],
    ['Île-de-France', null, 'Île-de-France', null],
    ['Plzeňský kraj', null, 'Plzeňský kraj', null],
    ['Greater London', null, 'Greater London', null],
    ['London', 'London', null, null],
    ['Köln', 'Köln', null, null],
    ['Koln', 'Koln', null, null],
    ['Praha 4', 'Praha', null, null],
    ['Praha – Libeň', 'Praha', null, null],
    ['Vodní 554/14, Praha – Libeň', 'Praha', null, null],
    ['London EC2', 'London', null, null],
    ['Soho, London', 'London', null, null],
    ['Frankfurt am Main', 'Frankfurt am Main', null, null],
    ['東京', '東京', null, null],
  ])('%s is known alone', (raw, city, region, country) => {
    expect(read(raw)).toEqual([city, region, country]);
  });

  it.each([
    ['Remote', null, null, null],
    ['Work from home', null, null, null],
    ['Multiple locations', null, null, null],
    ['Remote, US', null, null, 'US'],
    ['Remote (US)', null, null, 'US'],
    ['Remote - Germany', null, null, 'Germany'],
    ['Remote in Germany', null, null, 'Germany'],
    ['Germany (Remote)', null, null, 'Germany'],
    ['Berlin (Hybrid)', 'Berlin', null, null],
    ['Hybrid - London', 'London', null, null],
    ['Remote, EMEA, Germany', null, null, 'Germany'],
  ])('%s says how, and where only as far as it does', (raw, city, region, country) => {
    expect(read(raw)).toEqual([city, region, country]);
  });

  it.each([
    ['Leipzig, DE', 'Leipzig', null, 'DE'],
    ['Detmold, DE', 'Detmold', null, null],
    ['Tbilisi, Georgia', 'Tbilisi', null, 'Georgia'],
    ['Atlanta, Georgia', 'Atlanta', 'Georgia', null],
    ['Georgia, United States', null, 'Georgia', 'United States'],
    ['Georgia', null, null, null],
    ['Haifa, IL', 'Haifa', null, 'IL'],
    ['Naperville, IL', 'Naperville', 'IL', null],
    ['Pune, IN', 'Pune', null, 'IN'],
    ['Toronto, CA', 'Toronto', null, 'CA'],
    ['Fresno, CA', 'Fresno', 'CA', null],
    ['CA', null, null, null],
    ['Victoria, Canada', 'Victoria', null, 'Canada'],
    ['Victoria, Australia', null, 'Victoria', 'Australia'],
    ['Norfolk, United States', 'Norfolk', null, 'United States'],
    ['New York, United States', null, null, 'United States'],
    ['New York', null, null, null],
    ['Quebec, Canada', null, null, 'Canada'],
    ['Lebanon, NH', 'Lebanon', 'NH', null],
    ['Cuba, NY', 'Cuba', 'NY', null],
    ['Holland, MI', 'Holland', 'MI', null],
    ['Peru, IL', 'Peru', 'IL', null],
    ['Poland, Ohio', 'Poland', 'Ohio', null],
    ['Canada, ON', null, 'ON', 'Canada'],
    ['Germany, Bayern', null, 'Bayern', 'Germany'],
    ['Bayern, DE', null, 'Bayern', 'DE'],
    ['Bengaluru, Karnataka, IN', 'Bengaluru', 'Karnataka', 'IN'],
    ['Tirana, AL', 'Tirana', null, 'AL'],
    ['Birmingham, AL', 'Birmingham', 'AL', null],
    ['Chisinau, MD', 'Chisinau', null, 'MD'],
    ['Panama City, PA', 'Panama City', null, 'PA'],
    ['Panama City, FL', 'Panama City', 'FL', null],
    ['Athens, GA', 'Athens', 'GA', null],
    ['Basel, BS', 'Basel', null, null],
    ['BS-Basel', 'Basel', null, null],
    ['Siena, SI', 'Siena', null, null],
    ['Basel, CH', 'Basel', null, 'CH'],
    ['Birmingham, US', 'Birmingham', null, 'US'],
    ['Ciudad de México', 'Ciudad de México', null, null],
    ['Ciudad de México, México', 'Ciudad de México', null, 'México'],
  ])('%s is told apart by its neighbours, or not at all', (raw, city, region, country) => {
    expect(read(raw)).toEqual([city, region, country]);
  });

  it.each([
    ['Springfield', null, null, null],
    ['Northern California', null, 'California', null],
    ['San Francisco Bay Area', null, null, null],
    ['Greater Boston Area, United States', null, null, 'United States'],
    ['Leeds or York, England, United Kingdom', null, 'England', 'United Kingdom'],
    ['Berlin, Munich', null, null, null],
    ['Berlin / Munich', null, null, null],
    ['Paris or London', null, null, null],
    ['OH-Dayton', 'Dayton', 'OH', null],
    ['CA-San Jose', 'San Jose', 'CA', null],
    ['DE-Hamburg', 'Hamburg', null, 'DE'],
    ['Berlin, Germany; Paris, France', null, null, null],
    ['Germany, Austria, Switzerland', null, null, null],
    ['412 Millbrook Dayton, OH 45402', null, 'OH', null],
    ['a, b, c, d, e, f, g, France', null, null, null],
    ['Europe', null, null, null],
  ])('%s is not guessed at', (raw, city, region, country) => {
    expect(read(raw)).toEqual([city, region, country]);
  });

  it('takes no time over a hostile one', () => {
    const started = performance.now();
    for (const text of ['A, '.repeat(400_000), 'a-'.repeat(500_000), '(('.repeat(500_000), ' - '.repeat(90)]) {
      normalizeLocation(text);
      normalizeLocation(text.slice(0, 300));
      normalizePlace({ city: text, state_region: text, country: text });
    }
    expect(performance.now() - started).toBeLessThan(5000);
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

  it.each([
    [{ city: 'Paris, France' }, 'Paris', null, 'France'],
    [{ city: 'Paris, France', country: 'FR' }, 'Paris', null, 'FR'],
    [{ city: 'Gouda, South Holland, Netherlands', country: 'NL' }, 'Gouda', 'South Holland', 'NL'],
    [{ city: 'Gouda, South Holland, Netherlands' }, 'Gouda', 'South Holland', 'Netherlands'],
    [{ city: 'Gouda, South Holland, Netherlands', country: 'BE' }, 'Gouda, South Holland, Netherlands', null, 'BE'],
    [{ city: 'Dover, France', country: 'US' }, 'Dover, France', null, 'US'],
    [{ city: 'Dayton, OH' }, 'Dayton', 'OH', null],
    [{ city: 'Dayton, OH', state_region: 'Ohio' }, 'Dayton, OH', 'Ohio', null],
    [{ city: '10115 Berlin' }, 'Berlin', null, null],
    [{ city: 'Praha 4', country: 'CZ' }, 'Praha 4', null, 'CZ'],
    [{ city: 'Remote', country: 'US' }, null, null, 'US'],
    [{ city: 'Ely', state_region: 'N/A', country: '-' }, 'Ely', null, null],
    [{ city: '<b>Ely</b>', country: 'x'.repeat(5000) }, 'Ely', null, null],
  ])('%j: what stands in the place of a city is split where nothing else says it', (parts, city, region, country) => {
    expect(normalizePlace(parts)).toMatchObject({ city, state_region: region, country });
  });

  it('is nothing without a part, and no location if it is something else', () => {
    expect(normalizePlace({})).toBeNull();
    expect(normalizePlace({ city: 7 })).toBeNull();
    expect(normalizePlace(['Ely'])).toBeUndefined();
    expect(normalizePlace(7)).toBeUndefined();
  });
});
