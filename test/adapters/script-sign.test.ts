import { describe, expect, it } from 'vitest';
import { jobPosting } from '../../src/adapters/job-posting.js';
import { createRegistry } from '../../src/adapters/registry.js';
import { webPage } from '../../src/adapters/web-page.js';
import { jsonLd, pageOf } from './page.js';

const sentence = '<p>The work is hard, the days are long, and the view from the roof is wonderful. </p>';
/** More than a shell has, and less than a page; then as much as a page. */
const some = sentence.repeat(5);
const much = sentence.repeat(20);
const script = '<script src="/app.js"></script>';
const state = (data: object): string =>
  `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { pageProps: data } })}</script>`;
const description = 'You bake bread before the sun is up, and sell what is left of it by noon. '.repeat(4);
const job = {
  opening: { title: 'Baker', jobTitle: 'Baker', companyName: 'Crumb', location: { city: 'Oslo' }, description },
};

const signOf = (html: string) => jobPosting.scriptSign(pageOf(html));

describe('a page looks scripted', () => {
  it.each([
    ['by an empty root', 'empty_mount', `<div id="root"></div>${some}${script}`],
    ['by an empty element of its own', 'empty_mount', `${some}<app-root></app-root>${script}`],
    ['by a root of grey boxes', 'empty_mount', `${some}<div id="__next"><div class="box"></div><i></i></div>${script}`],
    ['by a second mount that is empty', 'empty_mount', `<div id="app">${some}</div><div id="root"></div>${script}`],
    ['by hardly a word beside its scripts', 'hardly_any_text', `<h1>Careers</h1><div class="x"></div>${script}`],
    ['by state without data', 'empty_state', `<div id="__next">${some}</div>${state({})}${script}`],
    [
      'by a state that is only settings',
      'empty_state',
      `<main>${some}</main><script>window.__INITIAL_STATE__ = {"locale":"en","flags":{"a":true}}</script>`,
    ],
    ['by a title that is loading', 'loading', `<title>Loading…</title>${much}${script}`],
    ['by a title that is loading, of a site', 'loading', `<title>Loading... | Crumb</title>${much}${script}`],
    ['by a title that is loading, in German', 'loading', `<title>Bitte warten…</title>${much}${script}`],
    ['by sending the visitor on', 'refresh', `<meta http-equiv="refresh" content="0; url=/job">${much}`],
    ['by coming again in a moment', 'refresh', `<meta http-equiv="Refresh" content="5">${much}${script}`],
    [
      'by a note that scripts are needed',
      'noscript_note',
      `<noscript>You need to enable JavaScript to run this app.</noscript>${much}${script}`,
    ],
    [
      'by a note within markup, in French',
      'noscript_note',
      `<noscript><div><h2>Crumb</h2><p>Veuillez activer JavaScript.</p></div></noscript>${much}${script}`,
    ],
  ])('%s', (_, sign, html) => {
    expect(signOf(html)).toBe(sign);
  });

  it('to every adapter alike', () => {
    const registry = createRegistry();
    const html = `<title>Crumb</title><div id="root"></div>${script}`;
    for (const type of registry.types()) expect(registry.get(type)?.scriptSign(pageOf(html))).toBe('empty_mount');
  });
});

describe('a page does not look scripted', () => {
  it.each([
    ['by a measuring pixel', `<noscript><img src="/pixel.gif" alt="" width="1"></noscript>${some}${script}`],
    [
      'by a tag manager',
      `<noscript><iframe src="https://tags.test/ns.html?id=GTM-1"></iframe></noscript>${some}${script}`,
    ],
    [
      'by a note about its comments',
      `<noscript>Please enable JavaScript to view the comments.</noscript>${some}${script}`,
    ],
    ['by another note', `<noscript>The old site is still there for you.</noscript>${some}${script}`],
    ['by a note without a script that it could mean', `<noscript>Please enable JavaScript.</noscript>${some}`],
    ['by what it says about scripts', `<p>Without JavaScript no page would load, they say.</p>${some}${script}`],
    ['by a mount that is filled', `<div id="root">${some}</div>${script}`],
    ['by an empty mount beside much to read', `<div id="app"></div>${much}${script}`],
    ['by data that it carries', `<div id="__next">${some}</div>${state(job)}${script}`],
    ['by state without data beside much to read', `<div id="__next">${much}</div>${state({})}${script}`],
    ['by an empty root without scripts', `<div id="root"></div>${some}`],
    ['by being short without scripts', '<p>Nothing here.</p>'],
    ['by renewing itself now and then', `<meta http-equiv="refresh" content="600">${some}${script}`],
    [
      'by sending on without scripts only',
      `<noscript><meta http-equiv="refresh" content="0;url=/m"></noscript>${some}${script}`,
    ],
    ['by a job that is called so', `<title>Loading Bay Operative - Crumb</title>${some}${script}`],
    ['by a shop that is called so', `<title>Laden - Crumb</title>${some}${script}`],
    ['by a script of its own', `${some}<script>track()</script>`],
  ])('%s', (_, html) => {
    expect(signOf(html)).toBeNull();
  });
});

describe('what is needed is told apart from how the page looks', () => {
  it('a job in the data of an empty root is enough', () => {
    const page = pageOf(`<title>Baker</title><div id="__next"></div>${state(job)}${script}`);
    expect(jobPosting.enough(page)).toBe(true);
    // Its text, though, only scripts would write.
    expect(webPage.enough(page)).toBe(false);
    expect(webPage.scriptSign(page)).toBe('empty_mount');
  });

  it('so is one in JSON-LD on a page that is still loading', () => {
    const html = `<title>Loading…</title>${jsonLd({ '@type': 'JobPosting', title: 'Baker' })}${script}`;
    expect(jobPosting.enough(pageOf(html))).toBe(true);
    expect(signOf(html)).toBe('loading');
  });

  it('a job that is printed is enough beside a note, which is a sign all the same', () => {
    const note = '<noscript>Please enable JavaScript.</noscript>';
    const html = `<title>Baker - Crumb</title>${note}<h1>Baker</h1>${some}<a href="#">Apply now</a>${script}`;
    expect(jobPosting.enough(pageOf(html))).toBe(true);
    expect(signOf(html)).toBe('noscript_note');
  });

  it('a page without the job may look like any other', () => {
    const html = `<title>Careers</title><h1>Join us</h1>${some}${script}`;
    expect(jobPosting.enough(pageOf(html))).toBe(false);
    expect(signOf(html)).toBeNull();
  });
});
