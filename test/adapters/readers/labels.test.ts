import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../../src/adapters/readers/dom.js';
import { readLabels } from '../../../src/adapters/readers/labels.js';
import { readOutline } from '../../../src/adapters/readers/lines.js';

const pairs = (html: string): [string, string][] =>
  readLabels(readOutline(parseHtml(html))).map(({ label, value }) => [label, value]);
const explicit = (html: string): [string, string][] =>
  readLabels(readOutline(parseHtml(html)))
    .filter(({ isExplicit }) => isExplicit)
    .map(({ label, value }) => [label, value]);

const BOTH = [
  ['place', 'Oslo'],
  ['pay', '50k'],
];

describe('labels are read from', () => {
  it.each([
    ['a line with a colon', '<p>Place: Oslo</p><p>Pay: 50k</p>'],
    ['a line with several of them', '<p>Place: Oslo | Pay: 50k</p>'],
    ['emphasis within a line', '<p><b>Place:</b> Oslo <strong>Pay:</strong> 50k</p>'],
    ['a colon behind the emphasis', '<li><b>Place</b>: Oslo</li><li><b>Pay</b> : 50k</li>'],
    ['spans without a space between them', '<div><span>Place:</span><span>Oslo</span></div><p>Pay:50k</p>'],
    ['a label above its value', '<p><b>Place:</b><br>Oslo<br><p><b>Pay:</b><br>50k'],
    ['a paragraph before another', '<p>Place:</p><p>Oslo</p><p>Pay:</p><p>50k</p>'],
    ['rows of a table', '<table><tr><td>Place:</td><td>Oslo</td></tr><tr><th>Pay</th><td>50k</td></tr></table>'],
    [
      'two pairs in one row',
      '<table><tr><th>Place</th><td>Oslo</td><th>Pay</th><td><a href="/">50k</a></td></tr></table>',
    ],
    ['names above values', '<table><tr><th>Place</th><th>Pay</th></tr><tr><td>Oslo</td><td>50k</td></tr></table>'],
    [
      'bold names above values, past the head of the table',
      '<table><thead><tr><td><b>Place:</b></td><td><b>Pay:</b></td></tr></thead><tbody><tr><td>Oslo</td><td>50k</td></tr></tbody></table>',
    ],
    ['definitions', '<dl><dt>Place</dt><dd>Oslo</dd><dt>Pay</dt><dd>50k</dd></dl>'],
    ['definitions in groups', '<dl><div><dt>Place</dt><dd>Oslo</dd></div><div><dt>Pay</dt><dd>50k</dd></div></dl>'],
  ])('%s', (_, html) => {
    expect(explicit(html)).toEqual(BOTH);
  });

  it.each([
    ['emphasis without a colon', '<li><b>Place</b> Oslo</li>'],
    ['a heading before a block', '<div><h4>Place</h4><p>Oslo</p></div>'],
    ['words that only some can see', '<div><svg></svg><span class="sr-only">Place</span><p>Oslo</p></div>'],
    ['one column beside the other', '<div><div>Place</div><div>Oslo</div></div>'],
  ])('%s, though less surely', (_, html) => {
    expect(pairs(html)).toEqual([['place', 'Oslo']]);
    expect(explicit(html)).toEqual([]);
  });
});

describe('a value', () => {
  it('keeps its lines', () => {
    const [label] = readLabels(
      readOutline(parseHtml('<table><tr><td>Place:</td><td>Main St 1<br>Oslo</td></tr></table>')),
    );
    expect(label).toMatchObject({ value: 'Main St 1 Oslo', lines: ['Main St 1', 'Oslo'] });
    expect(label?.element?.name).toBe('td');
  });

  it('may have several definitions', () => {
    expect(pairs('<dl><dt>Kind</dt><dd>Full</dd><dd>Part</dd><dt>Pay</dt><dd>50k</dd></dl>')).toContainEqual([
      'kind',
      'Full Part',
    ]);
  });

  it.each([
    ['an empty cell', '<table><tr><td>Pay:</td><td></td></tr><tr><td>Kind:</td><td>Full</td></tr></table>'],
    ['an empty definition', '<dl><dt>Pay:</dt><dd></dd><dt>Kind:</dt><dd>Full</dd></dl>'],
    ['the next label', '<p><b>Pay:</b><br><font></font><br><p><b>Kind:</b><br>Full'],
    ['a term without a definition', '<dl><dt>Pay:</dt><dt>Kind:</dt><dd>Full</dd></dl>'],
  ])('is not taken over %s', (_, html) => {
    expect(explicit(html)).toEqual([['kind', 'Full']]);
  });

  it('is not taken from another cell than the label is in', () => {
    const html = '<table><tr><td><p>Kind: Full<p><b>Pay:</b><br></td><td>Similar jobs</td></tr></table>';
    expect(explicit(html)).toEqual([['kind', 'Full']]);
  });

  it.each([
    ['a question', '<form>Place: <input name="q"> <button>Search</button></form>'],
    [
      'a question in a cell',
      '<table><tr><td>Place:</td><td><input name="q"> in <select><option>x</select></td></tr></table>',
    ],
    ['an address', '<p>https://site.test/</p>'],
    ['a time', '<p>14:30</p>'],
    ['a sentence', '<p>We have thought about it for a long time: no.</p>'],
  ])('is not read from %s', (_, html) => {
    expect(explicit(html)).toEqual([]);
  });
});
