import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { readPhones } from '../../../src/adapters/readers/phones.js';
import { phonesIn } from '../../../src/adapters/readers/phones-written.js';
import { pageOf } from '../page.js';

const told = (line: string) => phonesIn(line).map(({ printed, label }) => [printed, label]);
const onPage = (html: string) => readPhones(readPage(pageOf(html))).map(({ printed, label }) => [printed, label]);

describe('numbers in a line', () => {
  it.each<[string, [string, string | null][]]>([
    [
      'Support hotline 0431 608 844 | Phone: 0431 608 840',
      [
        ['0431 608 844', 'desk'],
        ['0431 608 840', 'phone'],
      ],
    ],
    [
      'T +44 (0)20 7946 0123 | F +44 (0)20 7946 0124',
      [
        ['+44 (0)20 7946 0123', 'phone'],
        ['+44 (0)20 7946 0124', 'fax'],
      ],
    ],
    [
      'Phone: 212-555-0123 Fax: 212-555-0124',
      [
        ['212-555-0123', 'phone'],
        ['212-555-0124', 'fax'],
      ],
    ],
    [
      'Call (212) 555-0123 or fax (212) 555-0124',
      [
        ['(212) 555-0123', 'phone'],
        ['(212) 555-0124', 'fax'],
      ],
    ],
    ['Boston MA 02110 617-555-0123 (fax)', [['617-555-0123', 'fax']]],
    [
      '212.555.0123 (office) 212.555.0124 (cell)',
      [
        ['212.555.0123', 'phone'],
        ['212.555.0124', 'mobile'],
      ],
    ],
    ['Tel/Fax: 01632 960123', [['01632 960123', 'phone']]],
    [
      'Fax 01632 960123, 01632 960124',
      [
        ['01632 960123', 'fax'],
        ['01632 960124', 'fax'],
      ],
    ],
    ['Tel 0141 496 0123 Mon-Thurs 8.00am-4.15pm', [['0141 496 0123', 'phone']]],
    ['Tel. 030/555 012-78', [['030/555 012-78', 'phone']]],
    ['Toll Free: 1-800-555-0123', [['1-800-555-0123', 'toll-free']]],
    ['Call Bella at (901) 555-0123!', [['(901) 555-0123', 'person']]],
    ['Call our shop at (901) 555-0123', [['(901) 555-0123', 'phone']]],
    ['Urgences : 01 99 00 12 34', [['01 99 00 12 34', 'urgent']]],
    [
      'Tel. 0303 / 55 50 - 1, Fax 0303 / 55 50 - 22',
      [
        ['0303 / 55 50 - 1', 'phone'],
        ['0303 / 55 50 - 22', 'fax'],
      ],
    ],
    ['Pages by Loom & Wire (901) 555-0177', [['(901) 555-0177', 'other']]],
    ['(+420) 601 234 567', [['(+420) 601 234 567', null]]],
    ['Tel:( 33 1) 99 00 12 34', [['( 33 1) 99 00 12 34', 'phone']]],
    ['Phone 555-0123', [['555-0123', 'phone']]],
    ['☎ 01632 960123', [['01632 960123', 'phone']]],
    ['Charity no. 01632 960123', [['01632 960123', 'other']]],
  ])('%s', (line, expected) => {
    expect(told(line)).toEqual(expected);
  });

  it.each([
    'Registered in England, No: 1234567. VAT No: 987654321',
    'SIRET 123 456 789 00012',
    'ABN 12 345 678 901',
    'Boston, MA 02110-1234',
    '31/12/2014 10:00 – 01.02.2015',
    'Mon 09.00 - 17.30 10.00 - 12.00',
    'Copyright 2005 - 2014',
    'Phone: (555) 555-5555',
    'Tel 123-456-7890',
    '887-0123',
    '51.5073 0.1277',
  ])('none: %s', (line) => {
    expect(told(line).filter(([, label]) => label !== 'other')).toEqual([]);
  });
});

describe('numbers of a page', () => {
  it('take the label that stands on a line of its own', () => {
    const html =
      '<table><tr><td>Tel :</td><td>22 555 01 23</td></tr><tr><td>Fax :</td><td>22 555 01 24</td></tr></table>';
    expect(onPage(html)).toEqual([
      ['22 555 01 23', 'phone'],
      ['22 555 01 24', 'fax'],
    ]);
  });

  it('take the labels of the columns above them, one each', () => {
    const html = '<tr><td>Phone</td><td>Fax</td></tr><tr><td>216-555-0121</td><td>216-555-0122</td></tr>';
    expect(onPage(`<table>${html}</table>`)).toEqual([
      ['216-555-0121', 'phone'],
      ['216-555-0122', 'fax'],
    ]);
  });

  it('are not the fields of a form', () => {
    expect(onPage('<div>Phone</div><div>Email</div><div>Order 12</div>')).toEqual([]);
  });

  it('are printed as the link prints them, and a fax stays one', () => {
    const html = 'Fax: <a href="tel:+12125550124">212 555 0124</a> <a href="tel:+12125550123">(212) 555-0123</a>';
    expect(onPage(html).slice(0, 2)).toEqual([
      ['212 555 0124', 'fax'],
      ['(212) 555-0123', null],
    ]);
  });
});
