import { describe, expect, it } from 'vitest';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { jsonLd, pageOf } from './page.js';

const verdict = (html: string, over = {}) => judgePage(pageOf(html, over));
const prose = '<p>We bake bread every morning and sell it until there is none left. </p>';

describe('a blocked page', () => {
  it.each([
    [
      'a Cloudflare script challenge',
      '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>Checking your browser',
    ],
    [
      'a Cloudflare captcha',
      '<title>Attention Required! | Cloudflare</title><form id="challenge-form" action="/cdn-cgi/l/chk_captcha"></form>One more step',
    ],
    ['a Cloudflare firewall', '<title>Access denied | shop.test used Cloudflare to restrict access</title>Error 1020'],
    [
      'a Sucuri redirect',
      '<html><title>You are being redirected...</title><script>var sucuri_cloudproxy_js="";</script></html>',
    ],
    ['a Sucuri firewall', '<title>Sucuri WebSite Firewall - Access Denied</title><h1>Access Denied</h1>'],
    [
      'a PerimeterX captcha',
      '<title>Access to this page has been denied</title><div id="px-captcha"></div>Press & Hold',
    ],
    [
      'an Akamai refusal',
      "<TITLE>Access Denied</TITLE><H1>Access Denied</H1>You don't have permission to access this.",
    ],
    ['an Imperva frame', '<iframe src="/_Incapsula_Resource?x=1">Request unsuccessful</iframe>'],
    ['a DataDome captcha', '<script src="https://ct.captcha-delivery.com/c.js"></script><p>Please enable JS</p>'],
    [
      'a reCAPTCHA interstitial',
      '<title>Sorry</title><div class="g-recaptcha"></div><p>Our systems have detected unusual traffic from your network.</p>',
    ],
    [
      'an hCaptcha interstitial',
      '<title>shop</title><div class="h-captcha"></div><p>Please verify you are human to go on.</p>',
    ],
    ['a robot check', '<title>Robot Check</title><p>Type the characters below</p>'],
  ])('is %s', (_, html) => {
    expect(verdict(html)).toBe('blocked');
  });

  it('is the wall of LinkedIn, by its address or by its title', () => {
    const url = 'https://www.linkedin.com/in/ida';
    expect(verdict('<h1>Join now</h1>', { url, finalUrl: 'https://www.linkedin.com/authwall?trk=x' })).toBe('blocked');
    expect(verdict('<h1>x</h1>', { url, finalUrl: 'https://se.linkedin.com/uas/login' })).toBe('blocked');
    expect(verdict('<title>Sign Up | LinkedIn</title><p>Join LinkedIn</p>', { url })).toBe('blocked');
    expect(verdict('<title>Ida Berg | LinkedIn</title><h1>Ida Berg</h1>', { url })).toBe('content');
  });

  it('is a sign-in we were sent to instead of the page', () => {
    const form = '<h1>Welcome back</h1><form><input type="password" name="p"></form>';
    expect(verdict(form, { url: 'https://site.test/jobs/1', finalUrl: 'https://site.test/login?next=1' })).toBe(
      'blocked',
    );
    expect(verdict(form, { url: 'https://site.test/jobs/1' })).toBe('content');
    expect(verdict(form, { url: 'https://site.test/login', finalUrl: 'https://site.test/login/' })).toBe('content');
  });
});

describe('an ordinary page is content', () => {
  it.each([
    [
      'with a reCAPTCHA for its contact form',
      `<script src="https://www.google.com/recaptcha/api.js"></script><h1>Contact</h1>${prose}<form><div class="g-recaptcha"></div></form>`,
    ],
    [
      'behind Cloudflare, with its beacon',
      `<h1>Bakery</h1>${prose}<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`,
    ],
    ['about access control', `<title>Access Denied: a novel</title><h1>Access Denied</h1>${prose}`],
    [
      'that writes about robots at length',
      `<title>Blog</title><div class="g-recaptcha"></div><p>are you a robot?</p>${prose.repeat(60)}`,
    ],
    [
      'that describes a job beside a captcha',
      `${jsonLd({ '@type': 'JobPosting', title: 'Tester' })}<div class="h-captcha"></div>Please verify you are human to apply.`,
    ],
    ['with a login form in its header', `<form><input type="password"></form><h1>Bakery</h1>${prose}`],
    ['that waits a moment', `<title>Just a moment of joy</title>${prose}`],
    ['of a single word', 'Hello'],
  ])('%s', (_, html) => {
    expect(verdict(html)).toBe('content');
  });
});

describe('an empty page', () => {
  it.each([
    ['nothing at all', ''],
    ['white space', ' \n\t '],
    ['a shell', '<html><head><title>App</title><script>run()</script></head><body><div id="root"></div></body></html>'],
    ['only what is hidden', '<p hidden>secret</p><noscript>Enable JavaScript</noscript>'],
    ['marks without words', '<p>· · ·</p>'],
  ])('is %s', (_, html) => {
    expect(verdict(html)).toBe('empty');
  });

  it('is not one that describes itself', () => {
    expect(verdict(jsonLd({ '@type': 'Organization', name: 'Crumb' }))).toBe('content');
    expect(verdict('<meta property="og:title" content="Crumb"><div id="root"></div>')).toBe('content');
    expect(
      verdict('<div itemscope itemtype="https://schema.org/Person"><meta itemprop="name" content="Ida"></div>'),
    ).toBe('content');
  });
});
