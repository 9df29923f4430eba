import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statesNaming } from '../../../src/adapters/readers/find-state.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { type Thing, textOf, thingsOf } from '../../../src/adapters/readers/thing.js';
import { pageOf } from '../page.js';

const read = (html: string) => readPage(pageOf(html)).hydration;
const json = (text: string, attributes = 'type="application/json"') => `<script ${attributes}>${text}</script>`;
const state = (value: unknown) => read(json(JSON.stringify(value).replaceAll('<', '\\u003c')));
const propsOf = (thing: Thing | undefined) => Object.fromEntries(thing?.props ?? []);

describe("reading a page's state", () => {
  it('gives the objects of JSON blocks, outermost first, with their types', () => {
    const things = read(
      json(
        '{"props":{"job":{"__typename":"Job","title":"Baker","pay":3,"open":true,"none":null}},"page":{"@type":"WebPage"}}',
        'id="__NEXT_DATA__" type="application/json; charset=utf-8"',
      ),
    );
    expect(things.map(({ types }) => types)).toEqual([[], [], ['WebPage'], ['Job']]);
    expect(propsOf(things[3])).toMatchObject({ title: ['Baker'], pay: ['3'], open: ['true'] });
    expect(thingsOf(things[1] ?? null, 'job')[0]).toBe(things[3]);
  });

  it('spells names in one way', () => {
    const [thing] = state({
      job_title: 'a',
      'company-name': 'b',
      BaseSalary: 'c',
      POSTING_URL: 'd',
      jobLocation: 'e',
      'Employer Name': 'f',
      jobTitle: 'g',
      '': 'h',
    });
    expect(propsOf(thing)).toEqual({
      jobTitle: ['a', 'g'],
      companyName: ['b'],
      baseSalary: ['c'],
      postingUrl: ['d'],
      jobLocation: ['e'],
      employerName: ['f'],
    });
  });

  it.each([
    ['an assignment', 'window.__INITIAL_STATE__ = {"a":"1"}'],
    ['an assignment among others', '/* s */ window.x = 1; window.__APOLLO_STATE__={"a":"1"};(function(){ go("{") })()'],
    ['one behind another', 'window.__CONFIG__={"b":"}"};window.__NUXT__={"a":"1"};'],
    ['a name in brackets', 'window["__STATE__"] = {"a":"1"};'],
    ['a variable', 'var initialData = {"a":"1"};'],
    ['values that are missing', 'window.__PRELOADED_STATE__ = {"a":"1","b":undefined}'],
    ['JSON in a string', String.raw`window.__STATE__ = JSON.parse("{\"a\":\"1\"}")`],
    ['one behind a program', `window.__p = {run: '"'}; window.__STATE__ = {"a":"1"}`],
  ])('reads %s', (_, script) => {
    expect(read(`<script>${script}</script>`).map((thing) => textOf(thing, 'a'))).toContain('1');
  });

  it.each([
    ['a function call', 'window.__NUXT__=(function(a){return {"a":a}}("1"))'],
    ['names without quotes', 'window.__STATE__ = {a: "1"}'],
    ['an expression inside', 'window.__STATE__ = {"b": f(), "a": "1"}'],
    ['an unfinished object', 'window.__STATE__ = {"a":"1"'],
    ['a string', 'window.__STATE__ = "{\\"a\\":1}"'],
    ['data for trackers', 'window.dataLayer = [{"a":"1"}]; var utag_data = {"a":"1"}'],
  ])('does not read %s', (_, script) => {
    expect(read(`<script>${script}</script>`)).toEqual([]);
  });

  it('does not look into scripts from elsewhere or for other readers', () => {
    const text = 'window.__STATE__ = {"a":"1"}';
    expect(read(`<script src="/x.js">${text}</script><script type="text/template">${text}</script>`)).toEqual([]);
  });

  it('follows the references of a cache', () => {
    const things = state({
      'Job:1': { title: 'Baker', company: { __ref: 'Company:4' }, other: { __ref: 'Company:5' } },
      'Company:4': { name: 'Crumb', jobs: [{ __ref: 'Job:1' }] },
    });
    const job = things.find((thing) => thing.props.has('title')) ?? null;
    expect(textOf(job, 'company')).toBe('Crumb');
    expect(textOf(job, 'other')).toBeNull();
  });

  it('puts a flat list together instead of taking positions for values', () => {
    const things = state([
      ['ShallowReactive', 1],
      { data: 2, self: 1, at: 7 },
      ['Reactive', 3],
      { title: 4, count: 5, tags: 6, none: -1 },
      'Baker',
      42,
      [4, 5],
      ['Date', '2025-01-01'],
    ]);
    expect(propsOf(things[0]).at).toEqual(['2025-01-01']);
    expect(propsOf(things[0]).self).toEqual([things[0]]);
    expect(propsOf(things[1])).toEqual({ title: ['Baker'], count: ['42'], tags: ['Baker', '42'] });
  });

  it('reads a list of objects as what it is', () => {
    const [list] = state([{ a: 'x' }, { a: 'y' }]);
    expect(thingsOf(list ?? null, 'items').map((thing) => textOf(thing, 'a'))).toEqual(['x', 'y']);
  });
});

describe('finding an object in the state', () => {
  const JOB = {
    needs: [
      ['title', 'job_title'],
      ['company', 'companyName'],
    ],
  };
  const job = (title: string, more = {}) => ({ jobTitle: title, company: { name: 'Crumb' }, ...more });

  it('finds the one that says all that is needed', () => {
    const things = state({ seo: { title: 'Jobs' }, user: { company: 'x' }, props: { deep: [{ job: job('Baker') }] } });
    expect(textOf(statesNaming(things, JOB)[0] ?? null, 'jobTitle')).toBe('Baker');
  });

  it('takes the fullest of several copies', () => {
    const things = state({ a: job('Baker'), b: job(' baker ', { pay: 3 }), c: job('Baker') });
    expect(textOf(statesNaming(things, JOB)[0] ?? null, 'pay')).toBe('3');
  });

  it('names every one of a list, each once', () => {
    const things = state({ jobs: [job('Baker'), job('Smith'), job('Baker')] });
    expect(statesNaming(things, JOB).map((thing) => textOf(thing, 'jobTitle'))).toEqual(['Baker', 'Smith']);
  });

  it('takes an empty word for nothing', () => {
    expect(statesNaming(state({ title: 'Baker', company: ' <p></p> ' }), JOB)).toEqual([]);
    expect(statesNaming(state({ title: 'null', company: 'Crumb' }), JOB)).toEqual([]);
    expect(statesNaming([], JOB)).toEqual([]);
  });
});

describe("a hostile page's state is read in bounded time", () => {
  const many = (count: number, make: (n: number) => unknown) => Array.from({ length: count }, (_, n) => make(n));

  it.each<[string, () => string]>([
    ['100,000 objects', () => json(JSON.stringify({ list: many(100, () => many(1_000, (n) => ({ n }))) }))],
    ['100,000 names', () => json(JSON.stringify(Object.fromEntries(many(100_000, (n) => [`a_${n}:`, { n }]) as [])))],
    ['deep objects', () => json(`${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`)],
    ['deep arrays', () => json(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)],
    [
      'a flat list of arrays that all hold each other',
      () => json(JSON.stringify([{ a: 1 }, ...many(500, () => many(500, (n) => n + 1))])),
    ],
    ['100,000 assignments', () => `<script>${'window.__A__={"a":1};'.repeat(100_000)}</script>`],
    ['100,000 assignments that never end', () => `<script>${'window.__A__={"a":['.repeat(100_000)}</script>`],
    ['100,000 scripts', () => '<script>window.__A__={"a":[</script>'.repeat(100_000)],
    ['a text of quotes', () => `<script>window.__A__={${'"\\"'.repeat(1_000_000)}</script>`],
  ])('%s', { timeout: 60_000 }, (_, make) => {
    const things = read(make());
    expect(things.length).toBeLessThanOrEqual(20_000);
    expect(statesNaming(things, { needs: [['title']] }).length).not.toBe(1);
  });

  it('whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.array(fc.jsonValue({ maxDepth: 2 })), (value, list) => {
        state(value);
        state([{ a: 1, b: 0 }, ...list]);
        read(`<script>window.__A__ = ${JSON.stringify(value).replaceAll('<', '\\u003c')}; x()</script>`);
      }),
      { numRuns: 200 },
    );
  });
});
