import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askingFor } from '../../src/domain/form.js';

const pairs = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string()), { minLength: 1, maxLength: 6 });

describe('how a page is asked for', () => {
  it('is by its address, where nothing is posted', () => {
    expect(askingFor('https://a.test/b?c=1#d', null)).toEqual({ url: 'https://a.test/b?c=1#d', body: null });
  });

  it('takes what is posted out of the address, and nothing else', () => {
    expect(askingFor('https://a.test/b?c=1&d%24=2+3&e', ['d$'])).toEqual({
      url: 'https://a.test/b?c=1&e',
      body: 'd%24=2+3',
    });
    expect(askingFor('https://a.test/b?c=1', ['c'])).toEqual({ url: 'https://a.test/b', body: 'c=1' });
  });

  it('loses and changes no field, whatever it is called and says', () => {
    fc.assert(
      fc.property(pairs, fc.nat(5), (fields, postedUpTo) => {
        const address = new URL(`https://a.test/b?${new URLSearchParams(fields)}`).href;
        const posted = fields.slice(0, postedUpTo).map(([name]) => name);
        const { url, body } = askingFor(address, posted);
        const isPosted = ([name]: [string, string]): boolean => posted.includes(name);
        expect([...new URLSearchParams(body ?? '')]).toEqual(fields.filter(isPosted));
        expect([...new URL(url).searchParams]).toEqual(fields.filter((field) => !isPosted(field)));
      }),
      { numRuns: 500 },
    );
  });
});
