import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../src/domain/normalize/address.js';

const read = (...lines: string[]) => {
  const address = readAddress(lines);
  return address && [address.postal_code, address.city, address.state_region, address.country];
};

describe('an address block', () => {
  it.each([
    // The United States, with and without what parts street, city and state
    [['12 Elm Street', 'Dayton, OH 45402'], '45402', 'Dayton', 'OH', null],
    [['812 North Main', 'Chicago Illinois 60601'], '60601', 'Chicago', 'Illinois', null],
    [['412 Mill Creek Parkway Dayton, OH 45402-1234'], '45402-1234', 'Dayton', 'OH', null],
    [['77 W OAK PKWY OMAHA NE 68102'], '68102', 'OMAHA', 'NE', null],
    [['810 Bay Square Street Suite 205 Tacoma, WA 98402'], '98402', 'Tacoma', 'WA', null],
    [['16 NW 17th Ave Miami, FL 33125 USA'], '33125', 'Miami', 'FL', 'USA'],
    [['100 Main St St. Louis, MO 63101'], '63101', 'St. Louis', 'MO', null],
    [['5 Court Ave NW Washington, DC 20500'], '20500', 'Washington', 'DC', null],
    [['5 Fifth Avenue', 'New York, NY 10118', 'United States'], '10118', 'New York', 'NY', 'United States'],
    [['Dayton | OH | 45402'], '45402', 'Dayton', 'OH', null],
    [['P.O. Box 1234, Lebanon, PA 17042'], '17042', 'Lebanon', 'PA', null],
    [['Tacoma, WA (Pierce County) 98402'], '98402', 'Tacoma', 'WA', null],
    // No code at all, or a short one behind a city
    [['8 Dizengoff Blvd', 'Tel Aviv', 'Israel'], null, 'Tel Aviv', null, 'Israel'],
    [['Kilcock Road', 'Maynooth', 'Co. Kildare', 'Ireland'], null, 'Maynooth', 'Co. Kildare', 'Ireland'],
    [['30 Ponsonby Road', 'Auckland 1011'], '1011', 'Auckland', null, null],
    [
      ['9 Mill Street, Nieu-Bethesda, 6286, Eastern Cape, South Africa'],
      '6286',
      'Nieu-Bethesda',
      'Eastern Cape',
      'South Africa',
    ],
    [['C/ del Pez, 8', '28004 Madrid (España)'], '28004', 'Madrid', null, 'España'],
    // Canada, Australia, the British Isles
    [['21 Pine Street', 'Vancouver BC V5K 0A1'], 'V5K 0A1', 'Vancouver', 'BC', null],
    [['2 King St West, Toronto, Ontario M5H 1A1 Canada'], 'M5H 1A1', 'Toronto', 'Ontario', 'Canada'],
    [['Level 3', '1 Wharf Road', 'Sydney NSW 2000', 'Australia'], '2000', 'Sydney', 'NSW', 'Australia'],
    [['Mill House', 'Mill Way', 'Macclesfield', 'Cheshire', 'SK11 6NA'], 'SK11 6NA', 'Macclesfield', 'Cheshire', null],
    [['Old House | 1 – 6 Rose Place | Soho | London | W1D 3QF'], 'W1D 3QF', 'London', null, null],
    [['40 Rose St London W1D 3QF'], 'W1D 3QF', 'London', null, null],
    [['Unit 5, Queen Avenue', 'Glasgow United Kingdom G2 1AA'], 'G2 1AA', 'Glasgow', null, 'United Kingdom'],
    [['12 High Street, Norwich, Norfolk, England, NR1 1AA'], 'NR1 1AA', 'Norwich', 'Norfolk', null],
    [['12 Mill Street', 'Dublin 2', 'D02 X285'], 'D02 X285', 'Dublin', null, null],
    [['12 Main Street, Cobh, Co. Cork, P24 X285, Ireland'], 'P24 X285', 'Cobh', 'Co. Cork', 'Ireland'],
    // The continent, where the code stands before the city
    [['Acme GmbH', 'Hauptstr. 5', '10115 Berlin'], '10115', 'Berlin', null, null],
    [['Hauptstraße 5', 'D-85737 Ismaning'], 'D-85737', 'Ismaning', null, null],
    [['Musterweg 12 85737 Ismaning'], '85737', 'Ismaning', null, null],
    [['Musterstr. 1 | 12345 Musterstadt | Deutschland'], '12345', 'Musterstadt', null, 'Deutschland'],
    [['Domplatz 1', '06108 Halle (Saale)'], '06108', 'Halle (Saale)', null, null],
    [['12 rue de la Paix F-75002 Paris, France'], 'F-75002', 'Paris', null, 'France'],
    [['12 rue de la Paix', '75008 Paris Cedex 08'], '75008', 'Paris', null, null],
    [['Via Roma 5', '20121 Milano (MI)', 'Italia'], '20121', 'Milano', 'MI', 'Italia'],
    [['Via Roma 5', '00187 Roma RM'], '00187', 'Roma', 'RM', null],
    [['Calle Sol 4', '08820 El Prat de Llobregat (Barcelona)'], '08820', 'El Prat de Llobregat', 'Barcelona', null],
    [['Rua Nova, Nº 8, 1º Andar 4710-228 Braga Portugal'], '4710-228', 'Braga', null, 'Portugal'],
    [['Keizersgracht 123', '1015 CJ Amsterdam'], '1015 CJ', 'Amsterdam', null, null],
    [['Rue Haute 16', '1000 Bruxelles', 'Belgique'], '1000', 'Bruxelles', null, 'Belgique'],
    [['75 Rue Haute', 'L-2449 Luxembourg'], 'L-2449', 'Luxembourg', null, null],
    [['Bahnhofweg 1', '8001 Zürich', 'Schweiz'], '8001', 'Zürich', null, 'Schweiz'],
    [['Lange Gasse 1, 1080 Wien, Österreich'], '1080', 'Wien', null, 'Österreich'],
    [['Na Příkopě 1', '110 00 Praha 1'], '110 00', 'Praha', null, null],
    [['nám. Republiky 1', '591 01 Žďár nad Sázavou 1'], '591 01', 'Žďár nad Sázavou', null, null],
    [['Hlavná 1', '811 01 Bratislava', 'Slovensko'], '811 01', 'Bratislava', null, 'Slovensko'],
    [['ul. Prosta 1', '00-950 Warszawa', 'Polska'], '00-950', 'Warszawa', null, 'Polska'],
    [['Drottninggatan 1', 'SE-111 22 Stockholm'], 'SE-111 22', 'Stockholm', null, null],
    [['Nørregade 1', '2200 København NV'], '2200', 'København', null, null],
    [['Storgata 1', '0154 Oslo', 'Norge'], '0154', 'Oslo', null, 'Norge'],
    [['Mäkikatu 1', '00100 Helsinki'], '00100', 'Helsinki', null, null],
    [['1051 Budapest, Nádor utca 7.'], '1051', 'Budapest', null, null],
    [['Str. Lungă 5, 010061 București, România'], '010061', 'București', null, 'România'],
    [['Brīvības iela 1, Rīga, LV-1010, Latvia'], 'LV-1010', 'Rīga', null, 'Latvia'],
    // Further away
    [['Sea Point', 'Mumbai 400001'], '400001', 'Mumbai', null, null],
    [['12 MG Road, Bengaluru, Karnataka 560001, India'], '560001', 'Bengaluru', 'Karnataka', 'India'],
    [['Av. Central, 1000', 'São Paulo - SP, 01310-100', 'Brasil'], '01310-100', 'São Paulo', 'SP', 'Brasil'],
    [['2-1-1 Kita, Tokyo 100-0005, Japan'], '100-0005', 'Tokyo', null, 'Japan'],
    [['1 Sea Place, Singapore 048616'], '048616', null, null, 'Singapore'],
    // Without a code
    [['12 Elm Street, Dayton, OH'], null, 'Dayton', 'OH', null],
    [['12 High Street, Ely, United Kingdom'], null, 'Ely', null, 'United Kingdom'],
    [['Vodní 554/14, Praha – Libeň'], null, 'Praha', null, null],
  ])('%j is read', (lines, code, city, region, country) => {
    expect(read(...lines)).toEqual([code, city, region, country]);
  });

  it('comes with its street, and without what stands around it', () => {
    expect(
      readAddress([
        'Acme Inc',
        'Head office: 5 Elm St, Suite 3',
        'Boston, MA 02110',
        'Phone: (617) 555-0100',
        'a@b.test',
      ]),
    ).toEqual({
      street: '5 Elm St, Suite 3',
      postal_code: '02110',
      city: 'Boston',
      state_region: 'MA',
      country: null,
      raw: 'Head office: 5 Elm St, Suite 3, Boston, MA 02110',
    });
  });

  it.each([
    [['1 Elm St, Boston, MA 02110', '2 Oak St, Dover, NH 03820']],
    [['Hauptstr. 5, 10115 Berlin', 'Marienplatz 1, 80331 München']],
    [['Copyright 2024 Acme Inc']],
    [['© 2024 Foo Bar. All rights reserved.']],
    [['12345 customers trust us']],
    [['500 employees, London']],
    [['Team of 500, London']],
    [['Founded 1999, Berlin']],
    [['Founded 1999 Berlin']],
    [['1234 Innovation, Suite 5, Springfield']],
    [['Model X-2024', 'Version 10115 Beta']],
    [['Mon-Fri 9-5', 'Sat 10-2']],
    [['Call 555 12 Support']],
    [['Germany']],
    [['London']],
    [['+44 20 7946 0000']],
    [[]],
    [Array.from({ length: 40 }, () => '10115 Berlin')],
  ])('%j is none', (lines) => {
    expect(readAddress(lines)).toBeNull();
  });

  it.each([
    ['a street that may go on', '412 Mill Avenue West Dayton, OH 45402', 'OH'],
    ['a street without its word', '412 Millbrook Dayton, OH 45402', 'OH'],
  ])('leaves the city open after %s', (_, line, region) => {
    expect(read(line)).toEqual(['45402', null, region, null]);
  });

  it('invents nothing: every part stands in the lines', () => {
    const piece = fc.constantFrom(
      ...[
        'Dayton',
        'OH',
        '45402',
        'London',
        'W1D 3QF',
        'UK',
        'Hauptstr. 5',
        '10115 Berlin',
        '1015 CJ',
        'Praha 1',
        'GA',
      ],
      ...['110 00', 'Georgia', '5 Elm St', 'Suite 3', 'USA', '-', '(MI)', 'São Paulo', '2024', 'Cedex', 'new york'],
    );
    const glue = fc.constantFrom(' ', ', ', ' | ', ' - ', '\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, glue), { maxLength: 10 }), (bits) => {
        const text = bits.flat().join('');
        const address = readAddress(text.split('\n'));
        for (const part of [address?.city, address?.state_region, address?.country, address?.postal_code]) {
          if (part) expect(text).toContain(part);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('takes no time over hostile lines', () => {
    const hostile = ['1'.repeat(1_000_000), 'Aa '.repeat(300_000), '(((('.repeat(200_000), ' - '.repeat(300_000)];
    const started = performance.now();
    for (const text of hostile) {
      readAddress([text]);
      readAddress(Array.from({ length: 12 }, () => text.slice(0, 299)));
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('the street of an address', () => {
  it.each([
    [['Av. do Brasil, 12', '1700-066 Lisboa'], 'Av. do Brasil, 12'],
    [['C/ del Pez, 8', '28004 Madrid'], 'C/ del Pez, 8'],
  ])('keeps its name where its number stands apart: %s', (lines, street) => {
    expect(readAddress(lines)?.street).toBe(street);
  });

  it.each([
    [['Meet us on Baker Street, Cork, Ireland']],
    [['Our Values', 'Naas', 'Ireland']],
    [['Annual report', 'Auckland 2019']],
  ])('is not made of a sentence: %s', (lines) => {
    expect(readAddress(lines)).toBeNull();
  });
});
