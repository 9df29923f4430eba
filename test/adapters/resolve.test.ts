import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  resolveField,
  resolveFields,
  sameWords,
  says,
  THRESHOLD,
  TRUST,
} from '../../src/adapters/resolve.js';

const said = (source: Candidate['source'], value: unknown, trust?: number): Candidate =>
  says(source, () => value, trust);

describe('a field', () => {
  it('that nobody speaks of is nothing', () => {
    expect(resolveField({ candidates: [] })).toBeNull();
    expect(
      resolveField({ candidates: [said('json-ld', null), said('meta', ' - '), said('heading', '<p></p>')] }),
    ).toBeNull();
  });

  it('that one place speaks of is as sure as the place', () => {
    expect(resolveField({ candidates: [said('meta', 'Acme')] })).toEqual({
      value: 'Acme',
      from: { source: 'meta', confidence: TRUST.meta, agreeing: [] },
    });
  });

  it('is surer where others agree, in the words of the most trusted', () => {
    const decided = resolveField({
      candidates: [said('heading', 'Cooper'), said('json-ld', 'Cooper (m/f)'), said('title', 'cooper')],
    });
    expect(decided?.value).toBe('Cooper (m/f)');
    expect(decided?.from).toMatchObject({ source: 'json-ld', agreeing: ['heading', 'title'] });
    expect(decided?.from.confidence).toBeGreaterThan(TRUST['json-ld']);
  });

  it('is less sure where others contradict, and nothing where none of them is sure enough', () => {
    const contradicted = resolveField({ candidates: [said('json-ld', 'Cooper'), said('heading', 'Welcome')] });
    expect(contradicted?.value).toBe('Cooper');
    expect(contradicted?.from.confidence).toBeLessThan(TRUST['json-ld']);
    expect(resolveField({ candidates: [said('heading', 'Cooper'), said('title', 'Welcome')] })).toBeNull();
  });

  it('goes to the many against the one, where they are surer together', () => {
    const decided = resolveField({
      candidates: [said('meta', 'Home'), said('heading', 'Cooper'), said('title', 'Cooper'), said('label', 'Cooper')],
    });
    expect(decided?.value).toBe('Cooper');
  });

  it('is not surer for being said twice in one place', () => {
    const twice = resolveField({ candidates: [said('meta', 'Acme'), said('meta', 'Acme')] });
    expect(twice?.from).toEqual({ source: 'meta', confidence: TRUST.meta, agreeing: [] });
  });

  it('told in different words takes the first that says something', () => {
    const candidates = [said('json-ld', ''), said('meta', 'Short.'), said('selector', 'A long description.')];
    expect(resolveField({ candidates, sameness: 'never' })?.value).toBe('Short.');
    expect(resolveField({ candidates: [said('text', 'x y z', 0.3)], sameness: 'never' })).toBeNull();
  });

  it('is never shown below the threshold, whoever speaks', () => {
    const value = fc.constantFrom('Cooper', 'Welcome', 'Acme Tools', '', null);
    const sources = fc.constantFrom(...(Object.keys(TRUST) as Candidate['source'][]));
    const candidate = fc.tuple(sources, value, fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 6 }), (spoken) => {
        const decided = resolveField({ candidates: spoken.map(([source, text, trust]) => said(source, text, trust)) });
        if (decided === null) return;
        expect(decided.from.confidence).toBeGreaterThanOrEqual(THRESHOLD - 0.005);
        expect(decided.from.confidence).toBeLessThanOrEqual(1);
        expect(spoken.some(([source, text]) => source === decided.from.source && text === decided.value)).toBe(true);
        expect(decided.from.agreeing).not.toContain(decided.from.source);
      }),
      { numRuns: 500 },
    );
  });
});

describe('fields', () => {
  it('are all there, with the origin of those that are known', () => {
    const extraction = resolveFields({ a: { candidates: [said('label', 'x1')] }, b: { candidates: [] } }, [
      'several_items',
    ]);
    expect(extraction).toEqual({
      fields: { a: 'x1', b: null },
      provenance: { a: { source: 'label', confidence: TRUST.label, agreeing: [] } },
      notes: ['several_items'],
    });
  });
});

describe('the same words', () => {
  it.each([
    ['Acme Tools', 'ACME tools, Inc.', true],
    ['Café Röd', 'cafe rod', true],
    ['Cooper', 'Cooper &amp; Sons', true],
    ['Coop', 'Cooper', false],
    ['Acme', 'Apex', false],
    ['IT', 'IT Services', false],
    [{ city: 'Oslo' }, { city: 'Oslo' }, true],
    [5, '5', true],
  ])('%j and %j: %s', (a, b, same) => {
    expect(sameWords(a, b)).toBe(same);
    expect(sameWords(b, a)).toBe(same);
  });
});
