import { describe, expect, it } from 'vitest';
import { readAddressBlocks } from '../../../src/adapters/readers/address-blocks.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { pageOf } from '../page.js';

const blocks = (...lines: string[]) => readAddressBlocks(readPage(pageOf(`<p>${lines.join('<br>')}</p>`)).lines);
const places = (...lines: string[]) =>
  blocks(...lines).map(({ place }) => [place.street, place.city, place.state_region, place.country]);

describe('an address is found', () => {
  it.each<[string, string[], (string | null)[]]>([
    [
      'over lines',
      ['Pine Boats', '12 Quay Road', 'Suite 4', 'Salem, MA 01970'],
      ['12 Quay Road, Suite 4', 'Salem', 'MA', null],
    ],
    ['in one line', ['12 Quay Road, Salem, MA 01970'], ['12 Quay Road', 'Salem', 'MA', null]],
    ['behind its label', ['Address: 12 Quay Road, Salem, MA 01970'], ['12 Quay Road', 'Salem', 'MA', null]],
    [
      'among bars, numbers and e-mail',
      ['Pine Boats | 12 Quay Road | Salem, MA 01970 | T 978-555-0123 | hi@pineboats.com'],
      ['12 Quay Road', 'Salem', 'MA', null],
    ],
    [
      'behind a registered name',
      ['Pine Boats, Inc. 12 Quay Road, Salem, MA 01970 Phone: 978-555-0123'],
      ['12 Quay Road', 'Salem', 'MA', null],
    ],
    ['with its country below', ['12 Quay Road', 'Salem, MA 01970', 'USA'], ['12 Quay Road', 'Salem', 'MA', 'USA']],
    ['without a code', ['12 Quay Road', 'Salem, Massachusetts'], ['12 Quay Road', 'Salem', 'Massachusetts', null]],
    [
      'in a sentence about the place',
      ['You find us at 12 Quay Road, Salem, MA 01970 any day.'],
      ['12 Quay Road', 'Salem', 'MA', null],
    ],
    ['that ends in a direction', ['100 Quay Rd E', 'Toronto, ON M5H 1A1'], ['100 Quay Rd E', 'Toronto', 'ON', null]],
    [
      'with points in its state',
      ['12 Quay Road', 'Washington, D.C. 20001'],
      ['12 Quay Road', 'Washington', 'DC', null],
    ],
    [
      'of five British lines',
      ['Unit 7, 2 Mill Lane', 'Ripon', 'North Yorkshire', 'HG4 1AB'],
      ['Unit 7, 2 Mill Lane', 'Ripon', 'North Yorkshire', null],
    ],
    ['with its code before the city', ['Hlavní 5', '602 00 Brno'], ['Hlavní 5', 'Brno', null, null]],
    [
      'between dashes',
      ['Pine S.L. - C/ Mayor, 5 - 28013 Madrid - Tel. 91 555 01 23'],
      [expect.anything() as unknown as string, 'Madrid', null, null],
    ],
  ])('%s', (_, lines, expected) => {
    expect(places(...lines)).toEqual([expected]);
  });

  it('with what stands above it', () => {
    expect(blocks('Pine Boats AB', '12 Quay Road', 'Salem, MA 01970')[0]?.above).toEqual(['Pine Boats AB']);
    expect(blocks('Head office', 'Pine Boats', '12 Quay Road', 'Salem, MA 01970')[0]?.heading).toContain('Head office');
  });
});

describe('no address', () => {
  it.each([
    ['jobs and their cities', ['QA Manager', 'Newark, CA', 'Director', 'Fairfax, VA']],
    ['prizes', ['Winner 2013', 'Best Bakery, NY']],
    ['sentences', ['Room 4', 'Read more about Paris, France']],
    ['years', ['Orders of the Court', '2016 Term']],
    ['numbers', ['Our hours 2014 Summer', '1200 Guests served']],
  ])('%s', (_, lines) => {
    expect(places(...lines)).toEqual([]);
  });
});
