import { describe, expect, it } from 'vitest';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { type Thing, textOf, thingsOf } from '../../../src/adapters/readers/thing.js';
import { pageOf } from '../page.js';

const read = (html: string) => readPage(pageOf(html)).rdfa;
const one = (html: string): Thing | null => read(html)[0] ?? null;
const propsOf = (thing: Thing | null) => Object.fromEntries(thing?.props ?? []);

describe('reading RDFa', () => {
  it('reads a thing with its nested things, each with its own properties', () => {
    const things = read(`
      <div vocab="https://schema.org/" typeof="JobPosting">
        <h2 property="title">Baker</h2>
        <p property="description"><b>About:</b>
          <span property="hiringOrganization" typeof="Organization"><i property="name">Crumb</i> bakes.</span></p>
        <p property="jobLocation" typeof="Place"><span property="address" typeof="PostalAddress">
          <span property="addressLocality">Oslo</span></span></p>
      </div>`);
    expect(things).toHaveLength(1);
    const [job = null] = things;
    expect(job?.types).toEqual(['JobPosting']);
    expect([...(job?.props.keys() ?? [])]).toEqual(['title', 'description', 'hiringOrganization', 'jobLocation']);
    expect(textOf(job, 'description')).toBe('About: Crumb bakes.');
    expect(textOf(job, 'hiringOrganization')).toBe('Crumb');
    const address = thingsOf(thingsOf(job, 'jobLocation')[0] ?? null, 'address')[0] ?? null;
    expect(propsOf(address)).toEqual({ addressLocality: ['Oslo'] });
  });

  it('takes types and properties by any prefix, several of each', () => {
    const thing = one(`
      <div prefix="s: http://schema.org/ gr: http://purl.org/goodrelations/v1#" typeof="s:store gr:BusinessEntity">
        <b property="s:name gr:legalName">Crumb</b></div>`);
    expect(thing?.types).toEqual(['Store', 'BusinessEntity']);
    expect(propsOf(thing)).toEqual({ name: ['Crumb'], legalName: ['Crumb'] });
  });

  it.each([
    ['content', '<span property="p" content=" 12.5 ">twelve</span>', '12.5'],
    ['a time by its date', '<time property="p" datetime="2025-01-01">today</time>', '2025-01-01'],
    ['a date on any element', '<span property="p" datetime="2025-01-01">today</span>', '2025-01-01'],
    [
      'a resource',
      '<span property="p" resource="http://schema.org/InStock">in stock</span>',
      'http://schema.org/InStock',
    ],
    ['an image by its address', '<img property="p" src="/a.png">', '/a.png'],
    ['a name in a link by its text', '<a property="p" href="/x">Acme</a>', 'Acme'],
    ['text as it is seen', '<p property="p">a<br>b<script>c</script></p>', 'a b'],
  ])('reads %s', (_, html, value) => {
    expect(textOf(one(`<div vocab="https://schema.org/" typeof="Thing">${html}</div>`), 'p')).toBe(value);
  });

  it('reads a url in a link by its address', () => {
    expect(textOf(one('<div typeof="Thing"><a property="url" href="/x">Acme</a></div>'), 'url')).toBe('/x');
  });

  it('makes no thing of OpenGraph, and no property either', () => {
    expect(
      read(
        '<html prefix="og: http://ogp.me/ns#" typeof="og:website"><meta property="og:title" content="x"><b property="name">y</b>',
      ),
    ).toEqual([]);
    const page = one(`
      <html vocab="https://schema.org/" typeof="WebPage"><head>
        <meta property="og:title" content="x"><meta property="article:author" content="x"><meta property="name" content="y">
      </head>`);
    expect(propsOf(page)).toEqual({ name: ['y'] });
  });

  it('lists what a page is mainly about, also where the page itself is not described', () => {
    const html = '<div property="mainEntity" typeof="JobPosting"><b property="title">Baker</b></div>';
    expect(read(`<body vocab="https://schema.org/">${html}</body>`).map(({ types }) => types[0])).toEqual([
      'JobPosting',
    ]);
    expect(read(`<body typeof="WebPage">${html}</body>`).map(({ types }) => types[0])).toEqual([
      'WebPage',
      'JobPosting',
    ]);
  });

  it('brings together what is said of one thing, and gives it where it is only named', () => {
    const things = read(`
      <div typeof="JobPosting"><b property="title">Baker</b><span property="hiringOrganization" resource="#org"></span></div>
      <div resource="#org" typeof="Organization"><b property="name">Crumb</b></div>
      <p about="#org" property="telephone">12345</p>
      <div resource="#org"><b property="email">a@b.test</b></div>
      <div resource="#other"><b property="name">nobody</b></div>`);
    expect(things.map(({ types }) => types[0])).toEqual(['JobPosting', 'Organization']);
    const organization = thingsOf(things[0] ?? null, 'hiringOrganization')[0] ?? null;
    expect(organization).toBe(things[1]);
    expect(propsOf(organization)).toEqual({ name: ['Crumb'], telephone: ['12345'], email: ['a@b.test'] });
  });

  it('says of a subject inside another only what is its own', () => {
    const things = read(`
      <div typeof="Article"><b property="headline">News</b>
        <a about="/user/1" typeof="foaf:Person" property="foaf:name">Ida</a>
        <div about="#unknown"><b property="headline">not this one's</b></div>
      </div>`);
    expect(things.map(propsOf)).toEqual([{ headline: ['News'] }, { name: ['Ida'] }]);
  });

  it('follows `rel` with a prefix: to its target, to its thing, and to the things right inside', () => {
    const things = read(`
      <div about="#offer" typeof="gr:Offering">
        <a rel="nofollow v:url" property="v:title" href="/x">Camera</a>
        <span rel="gr:hasPriceSpecification"><span typeof="gr:UnitPriceSpecification">
          <b property="gr:hasCurrencyValue" content="899">$899.00</b></span></span>
        <span rel="gr:hasBusinessFunction" resource="http://purl.org/goodrelations/v1#Sell"></span>
        <span rel="foaf:maker" resource="#me"><b property="foaf:name">Ida</b></span>
      </div>`);
    expect(things).toHaveLength(1);
    const [offer = null] = things;
    expect(textOf(offer, 'url')).toBe('/x');
    expect(textOf(offer, 'title')).toBe('Camera');
    expect(textOf(thingsOf(offer, 'hasPriceSpecification')[0] ?? null, 'hasCurrencyValue')).toBe('899');
    expect(textOf(offer, 'hasBusinessFunction')).toBe('http://purl.org/goodrelations/v1#Sell');
    expect(textOf(offer, 'maker')).toBe('Ida');
    expect(textOf(offer, 'name')).toBeNull();
    expect(offer?.props.has('nofollow')).toBe(false);
  });

  it.each<[string, () => string]>([
    ['100,000 things', () => '<p typeof="Person"><b property="name">x</b></p>'.repeat(100_000)],
    [
      'things within things',
      () => `<div typeof="Person">${'<div property="a" typeof="Person"><b property="n">x</b>'.repeat(100_000)}`,
    ],
    [
      'unrelated things within things',
      () => `${'<div typeof="Person">'.repeat(500)}${'<b property="name">x'.repeat(50_000)}`,
    ],
    ['properties within properties', () => `<div typeof="Person">${'<div property="a b c">'.repeat(100_000)}`],
    [
      'one property within itself many times',
      () =>
        `<div typeof="Person">${'<b property="a">'.repeat(400)}${'<i property="a" content="x"></i>'.repeat(90_000)}`,
    ],
    [
      'things that all speak of one',
      () => `<p resource="#a" typeof="Person">${'<p about="#a"><b property="a" resource="#a"></b></p>'.repeat(60_000)}`,
    ],
  ])('is done in time with %s', { timeout: 60_000 }, (_, make) => {
    expect(read(make()).length).toBeGreaterThan(0);
  });
});
