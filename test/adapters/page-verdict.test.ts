import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { PAGE_SIGNS, type PageSign } from '../../src/adapters/verdict/signs.js';
import type { Page } from '../../src/domain/page.js';
import { jsonLd, pageOf } from './page.js';

const verdict = (html: string, over: Partial<Page> = {}) => judgePage(pageOf(html, over));
const signOf = (html: string, over: Partial<Page> = {}): string => {
  const judged = verdict(html, over);
  return judged.kind === 'content' ? 'content' : judged.sign;
};
const prose = '<p>We bake bread every morning and sell it until there is none left. </p>';

/** Each page is named after its sign, or `content` where it only looks like one. */
const folder = new URL('./verdicts/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.html'));
const htmlOf = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

/** Where the answer came from, when the page alone does not tell. */
const CAME_FROM: Record<string, Partial<Page>> = {
  'consent_page.host.html': { url: 'https://crumb.test/', finalUrl: 'https://guce.crumb.test/copyConsent?x=1' },
};

describe('saved pages', () => {
  it.each(files)('%s is what its name says', (file) => {
    const wanted = file.split('.')[0] as PageSign | 'content';
    const refused = wanted === 'content' ? null : { kind: 'refusal', code: PAGE_SIGNS[wanted].code, sign: wanted };
    const over = CAME_FROM[file] ?? {};
    expect(verdict(htmlOf(file), over)).toEqual(refused ?? { kind: 'content' });
    expect(verdict(htmlOf(file), { ...over, renderedBy: 'browser' })).toEqual(refused ?? { kind: 'content' });
  });

  it('every sign has a page', () => {
    const shown = new Set(files.map((file) => file.split('.')[0]));
    expect(Object.keys(PAGE_SIGNS).filter((sign) => !shown.has(sign))).toEqual([]);
  });

  it('a refusal within a page with much to read is content', () => {
    const signs = files.filter(
      (file) => !/^(?:content|linkedin_authwall|stack_trace|default_page|consent_page|not_text)/.test(file),
    );
    const refused = signs.filter((file) => signOf(`${htmlOf(file)}${prose.repeat(200)}`) !== 'content');
    expect(refused).toEqual([]);
  });

  it('a page that describes an item is content, whatever it is headed by', () => {
    const job = jsonLd({ '@type': 'JobPosting', title: 'Baker' });
    const signs = files.filter((file) => !/^linkedin_authwall|^consent_page.host/.test(file));
    expect(signs.filter((file) => signOf(`${htmlOf(file)}${job}`) !== 'content')).toEqual([]);
  });
});

describe('a login wall', () => {
  it('is that of LinkedIn, by its address', () => {
    const url = 'https://www.linkedin.com/in/ida';
    expect(signOf('<h1>x</h1>', { url, finalUrl: 'https://www.linkedin.com/authwall?trk=x' })).toBe(
      'linkedin_authwall',
    );
    expect(signOf('<h1>x</h1>', { url, finalUrl: 'https://se.linkedin.com/uas/login' })).toBe('linkedin_authwall');
    expect(signOf('<title>Ida | LinkedIn</title><h1>Ida</h1>', { url })).toBe('content');
    expect(signOf('<h1>x</h1>', { url, finalUrl: 'https://notlinkedin.com/authwall' })).toBe('content');
  });

  it('is a sign-in we were sent to instead of the page', () => {
    const form = '<h1>Welcome back</h1><form><input type="password" name="p"></form>';
    const url = 'https://site.test/jobs/1';
    expect(signOf(form, { url, finalUrl: 'https://site.test/login?next=1' })).toBe('sign_in');
    expect(signOf(form, { url, finalUrl: 'https://login.site.test/?next=1' })).toBe('sign_in');
    expect(signOf(form, { url })).toBe('content');
    expect(signOf(form, { url: 'https://site.test/login', finalUrl: 'https://site.test/login/' })).toBe('content');
  });

  it('is not a sign-in that was asked for', () => {
    const html = htmlOf('sign_in.html');
    expect(signOf(html, { url: 'https://site.test/jobs/1' })).toBe('sign_in');
    expect(signOf(html, { url: 'https://site.test/sign-in' })).toBe('content');
    expect(signOf(html, { url: 'https://site.test/sign-in?return_to=%2Fjobs%2F1' })).toBe('sign_in');
  });
});

describe('headers', () => {
  it('a firewall that names its action is believed', () => {
    expect(signOf('', { httpStatus: 202, headers: { 'x-amzn-waf-action': 'challenge' } })).toBe('aws_waf');
    expect(signOf('<p>…</p>', { headers: { 'cf-mitigated': 'challenge' } })).toBe('cloudflare_challenge');
  });
});

describe('a short page is content', () => {
  it.each([
    ['of a single word', 'Hello'],
    ['that is no HTML', '{"success":false,"data":"-1"}'],
    [
      'that describes a job beside a captcha',
      `${jsonLd({ '@type': 'JobPosting', title: 'Tester' })}<div class="h-captcha"></div>Please verify you are human to apply.`,
    ],
    ['about access control', '<title>Crumb - Access Control Systems</title><h1>Access control</h1>'],
    ['of a company with a number for a name', '<title>500 Breads | Berlin</title><h1>500 Breads</h1>'],
    ['of a shop that names its error', `<title>Human Error | Records</title><h1>Human Error</h1>${prose}`],
    [
      'in microdata only',
      '<div itemscope itemtype="https://schema.org/Person"><meta itemprop="name" content="Ida"></div>',
    ],
  ])('%s', (_, html) => {
    expect(signOf(html)).toBe('content');
  });
});

describe('bytes that are no text', () => {
  const random = Uint8Array.from({ length: 3_000_000 }, (_, n) => ((n * 2_654_435_761) >>> 24) ^ (n >>> 3));

  it.each(['utf-8', 'windows-1252', 'shift_jis'])('are not read, decoded as %s', (encoding) => {
    const html = new TextDecoder(encoding).decode(random);
    expect(verdict(html)).toEqual({ kind: 'refusal', code: 'empty_page', sign: 'not_text' });
  });

  it('are not the letters of a page that names the wrong encoding', () => {
    const czech = 'Příliš žluťoučký kůň úpěl ďábelské ódy a pekař k tomu prodával čerstvý chléb. ';
    const undecoded = czech.replace(/[^ -~]/g, '\ufffd').repeat(20);
    const page = `<!DOCTYPE html><html><head><title>Pek</title><meta charset="utf-8"></head><body><div class="text">`;
    expect(signOf(`${page}${'<p class="crumb">Chleba a housky</p>'.repeat(30)}<p>${undecoded}</p>`)).toBe('content');
  });
});

describe('an empty page', () => {
  it.each([
    ['nothing at all', '', 'nothing_to_read'],
    ['white space', ' \n\t ', 'nothing_to_read'],
    ['only what is hidden', '<p hidden>secret</p>', 'nothing_to_read'],
    ['only what stands in for scripts', '<noscript>Enable JavaScript</noscript>', 'script_shell'],
  ])('is %s', (_, html, sign) => {
    expect(verdict(html)).toEqual({ kind: 'refusal', code: 'empty_page', sign });
  });
});
