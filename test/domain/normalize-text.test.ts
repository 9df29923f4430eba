import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeEmail, normalizePhone } from '../../src/domain/normalize/contact.js';
import { cleanText, foldSpace } from '../../src/domain/normalize/text.js';

describe('cleaning text', () => {
  it.each([
    ['tags and entities', '<p class="a>b">R&amp;D</p>', 'R&D'],
    ['blocks by a space, inline tags by none', 'one<br>two<p>three</p><b>fo</b>ur', 'one two three four'],
    ['scripts, styles and comments', 'a<script>alert("<b>")</script><style>p{}</style><!-- c -->b', 'a b'],
    ['markup that was escaped', '&lt;p&gt;Hello&lt;/p&gt; &amp;amp; bye', 'Hello & bye'],
    ['white space of all kinds', '\u00a0 a\t\n\u2003b\u200b\u00ad ', 'a b'],
    ['joiners at the edges of words', '50\u00a0000 \u200d–\u200d 80\u00a0000', '50 000 – 80 000'],
    ['signs that are no tags', '5 < 6 > 4 & AT&T', '5 < 6 > 4 & AT&T'],
    ['control characters', 'a\u0000b\u0007c\u0085d', 'a b c d'],
    ['marks of direction', '\u202aשלום\u202c \u200eworld', 'שלום world'],
    ['halves of characters', 'a\ud83d b\udc00', 'a b'],
    ['entities by number', '&#8364;5 &#x2013; &euro;9', '€5 – €9'],
    ['markup that was escaped twice', '&amp;lt;p&amp;gt;Hi&amp;lt;/p&amp;gt;', 'Hi'],
    ['tags that never end', 'before <b class="x', 'before'],
    ['emoji, which need their joiners', '👩\u200d🚀 pilot', '👩\u200d🚀 pilot'],
  ])('handles %s', (_, raw, clean) => {
    expect(cleanText(raw)).toBe(clean);
  });

  it.each([
    '',
    ' ',
    '<p></p>',
    '&nbsp;',
    '-',
    '***',
    'N/A',
    'n.a.',
    'None',
    '–',
    'null',
    'undefined',
    '[object Object]',
  ])('takes %j for nothing', (raw) => {
    expect(cleanText(raw)).toBeNull();
  });

  it('is linear, whatever it is given', () => {
    const started = performance.now();
    for (const bit of ['<', '<b', '<b>', '&', '&lt;', '&amp;amp;', ' ', '\u200d', '<!--', ']]>', '\ud800', 'a\u0000']) {
      const clean = cleanText(bit.repeat(Math.ceil(1_000_000 / bit.length)));
      expect(clean?.length ?? 0).toBeLessThanOrEqual(1_000_000);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('cleans once and for all', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('<b>', '</b>', '<', '>', '&lt;', '&amp;', '&#60;', '\u200b', '\u200d', '<!--'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const clean = cleanText(pieces.join(''));
        expect(clean === null ? null : cleanText(clean)).toBe(clean);
      }),
      { numRuns: 500 },
    );
  });
});

describe('contacts', () => {
  it.each([
    ['info@Acme.TEST', 'info@acme.test'],
    ['mailto:Jo.Doe+x@acme.co.uk?subject=Hi', 'Jo.Doe+x@acme.co.uk'],
    ['mailto:a%40b.test', 'a@b.test'],
    ['a@localhost', null],
    ['two@a.test, three@b.test', null],
    ['not an address', null],
    [`${'a'.repeat(300)}@b.test`, null],
  ])('reads %s as an address', (text, address) => {
    expect(normalizeEmail(text)).toBe(address);
  });

  it.each([
    ['tel:+1-555-987-0200', '+1-555-987-0200'],
    ['tel:+4920112345;ext=5', '+4920112345'],
    ['Phone: (406) 555-0148', '(406) 555-0148'],
    ['+44 (0)20 7946 0123', '+44 (0)20 7946 0123'],
    ['406.555.0137 ext. 12', '406.555.0137 ext. 12'],
    ['Fax 12345', null],
    ['1234', null],
    ['12345678901234567890123', null],
    ['call 12 people', null],
  ])('reads %s as a phone number', (text, number) => {
    expect(normalizePhone(text)).toBe(number);
  });
});

describe('folding space', () => {
  it('gives what splitting at white space gives, whatever the text', () => {
    const spaces = [' ', '  ', '\n', '\t', '\u00a0', '\u1680', '\u2003', '\u2028', '\u3000', '\ufeff'];
    const piece = fc.oneof(fc.constantFrom(...spaces, 'a', 'é', 'ש', '漢', '\u00ad', '\u0085', '\u180e'), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        expect(foldSpace(text)).toBe(text.split(/\s+/).filter(Boolean).join(' '));
      }),
    );
  });
});
