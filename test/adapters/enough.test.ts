import { describe, expect, it } from 'vitest';
import { companyWebsite } from '../../src/adapters/company-website.js';
import { jobPosting } from '../../src/adapters/job-posting.js';
import { linkedinProfile } from '../../src/adapters/linkedin-profile.js';
import { jsonLd, pageOf } from './page.js';

const prose = '<p>The work is hard, the days are long, and the view from the roof is wonderful. </p>'.repeat(5);
const script = '<script src="/app.js"></script>';

describe('raw HTML is enough', () => {
  it.each([
    [
      'a job in JSON-LD, even in a shell',
      jobPosting,
      `${jsonLd({ '@type': 'JobPosting', title: 'Baker' })}<div id="root"></div>${script}`,
    ],
    [
      'a job under its heading',
      jobPosting,
      `<title>Baker - Crumb</title><h1>Baker</h1>${prose}<a href="#">Apply now</a>${script}`,
    ],
    ['a page without scripts, however short', jobPosting, '<p>Nothing here.</p>'],
    ['a company that names itself', companyWebsite, `<meta property="og:site_name" content="Crumb">${prose}${script}`],
    ['a company with much to read and no name', companyWebsite, `${prose.repeat(6)}${script}`],
    ['a person in JSON-LD', linkedinProfile, `${jsonLd({ '@type': 'Person', name: 'Ida' })}${script}`],
  ])('for %s', (_, adapter, html) => {
    expect(adapter.enough(pageOf(html))).toBe(true);
  });

  it('for whatever a browser has rendered', () => {
    expect(jobPosting.enough(pageOf(`<div id="root"></div>${script}`, { renderedBy: 'browser' }))).toBe(true);
  });
});

describe('a browser is needed', () => {
  it.each([
    ['an empty root', jobPosting, `<title>Careers</title><div id="root"></div>${script}`],
    [
      'a heading in an otherwise empty shell',
      jobPosting,
      `<title>Careers</title><h1>Careers</h1><div id="app"></div>${script}`,
    ],
    [
      'an empty element of its own',
      companyWebsite,
      `<meta property="og:site_name" content="Crumb"><nav>${prose.slice(0, 300)}</nav><app-root></app-root>${script}`,
    ],
    ['a title that is still loading', jobPosting, `<title>Loading…</title><h1>Loading</h1>${prose}${script}`],
    [
      'an empty mount below a menu',
      companyWebsite,
      `<meta property="og:site_name" content="Crumb"><nav>${prose.slice(0, 300)}</nav><div id="__next"></div>${script}`,
    ],
    [
      'a note that scripts are needed',
      companyWebsite,
      `<noscript>You need to enable JavaScript to run this app. ${prose}</noscript><div id="root"></div>${script}`,
    ],
    ['text without the job', jobPosting, `<title>Careers</title><h1>Join us</h1>${prose}${script}`],
    [
      'structured data of another kind',
      jobPosting,
      `${jsonLd({ '@type': 'Organization', name: 'Crumb' })}<div id="root"></div>${script}`,
    ],
    ['a page that sends the visitor on', jobPosting, '<meta http-equiv="refresh" content="0;url=/job">'],
    ['a profile that is not there yet', linkedinProfile, `<title>LinkedIn</title>${prose}${script}`],
  ])('for %s', (_, adapter, html) => {
    expect(adapter.enough(pageOf(html))).toBe(false);
  });
});
