import type { Page, PageVerdict } from '../domain/page.js';
import { type PageReader, readPage } from './readers/page-reader.js';

/**
 * Is this the page that was asked for? Block pages are short, so a page with much to read is content whatever scripts
 * it carries; a recaptcha beside a contact form proves nothing. `empty` says there is nothing to read now: raw HTML
 * that scripts would fill is empty too, until a browser has run them.
 */
export function judgePage(page: Page): PageVerdict {
  const reader = readPage(page);
  if (isLoginWall(reader)) return { kind: 'refusal', code: 'login_wall', sign: 'sign_in' };
  if (mayBeRefusal(reader) && SIGNS.some((sign) => sign(reader))) {
    return { kind: 'refusal', code: 'blocked_page', sign: 'block_page' };
  }
  return isEmpty(reader) ? { kind: 'refusal', code: 'empty_page', sign: 'nothing_to_read' } : { kind: 'content' };
}

const SHORT = 2_500;
const HARDLY_ANY = 400;

const mayBeRefusal = (reader: PageReader): boolean => reader.text.length < SHORT && !describesSomething(reader);

const describesSomething = (reader: PageReader): boolean => reader.jsonLd.length + reader.microdata.length > 0;

function isEmpty(reader: PageReader): boolean {
  if (/[\p{L}\p{N}]/u.test(reader.text) || describesSomething(reader)) return false;
  return reader.meta('og:title', 'og:description', 'description') === null;
}

/** Each knows one way of being turned away. `holds` looks at the source, `says` at what a reader sees. */
const SIGNS: readonly ((reader: PageReader) => boolean)[] = [
  // Cloudflare: challenge, captcha and firewall pages. Its beacon under /cdn-cgi/ is on ordinary pages as well.
  (page) => holds(page, '_cf_chl_opt', 'cf-browser-verification', 'jschl-answer', '/cdn-cgi/l/chk_captcha'),
  (page) =>
    titled(page, /^(?:just a moment|attention required|please wait)/i) && holds(page, 'cloudflare', 'cf-', '/cdn-cgi/'),
  (page) => titled(page, /used cloudflare to restrict access/i),
  // Sucuri, Imperva, DataDome, PerimeterX, AWS: a script and nothing to read, or a page that names them.
  (page) => holds(page, 'sucuri_cloudproxy_js') || titled(page, /^sucuri website firewall/i),
  (page) => says(page, /incapsula incident id/i) || (isBare(page) && holds(page, '_Incapsula_Resource')),
  (page) => isBare(page) && holds(page, 'captcha-delivery.com', 'awsWafCookieDomainList', 'AwsWafIntegration'),
  (page) => holds(page, 'id="px-captcha"', "id='px-captcha'") || titled(page, /^access to this page has been denied/i),
  // Akamai and web servers' own refusals.
  (page) => titled(page, /^(?:access denied|403 forbidden|forbidden|request (?:blocked|rejected))\W*$/i),
  // Captchas of any make: a widget, and a sentence that asks for it.
  (page) =>
    holds(page, 'g-recaptcha', 'h-captcha', 'hcaptcha.com', 'cf-turnstile', '/recaptcha/', 'captcha') &&
    says(page, CHALLENGE),
  (page) =>
    titled(
      page,
      /^(?:robot check|are you (?:a )?(?:robot|human)|human verification|security check|pardon our interruption)/i,
    ),
];

/** What captcha pages ask of a visitor. */
const CHALLENGE = new RegExp(
  [
    "(?:verify|confirm|prove|checking if)(?: that)? you(?: are|'re|’re)(?: not)?(?: an?)? (?:human|robot)",
    'are you a robot',
    'unusual (?:traffic|activity)',
    'complete the (?:security check|captcha)',
    'enter the characters you see',
    'solve (?:the|this) captcha',
  ].join('|'),
  'i',
);

const holds = (reader: PageReader, ...marks: string[]): boolean =>
  marks.some((mark) => reader.page.html.includes(mark));

const says = (reader: PageReader, sentence: RegExp): boolean => sentence.test(reader.text);

const titled = (reader: PageReader, pattern: RegExp): boolean => pattern.test(reader.title ?? '');

const isBare = (reader: PageReader): boolean => reader.text.length < HARDLY_ANY;

/** We asked for a page and ended at a sign-in: by the address for LinkedIn, by address and password field elsewhere. */
function isLoginWall(reader: PageReader): boolean {
  const { url, finalUrl } = reader.page;
  if (!URL.canParse(finalUrl)) return false;
  const { hostname, pathname } = new URL(finalUrl);
  if (/(?:^|\.)linkedin\.com$/.test(hostname)) {
    if (/^\/(?:authwall|login|signup|uas\/login|checkpoint)\b/.test(pathname)) return true;
    return titled(reader, /^(?:sign (?:up|in)|join linkedin|linkedin login|linkedin: log in)/i);
  }
  const wasSent =
    finalUrl !== url && SIGN_IN.test(pathname) && !(URL.canParse(url) && SIGN_IN.test(new URL(url).pathname));
  return wasSent && reader.select('input[type="password"]').length > 0;
}

const SIGN_IN = /\/(?:log-?in|sign-?in|auth|authwall|session\/new|sso)(?:[/.]|$)/i;
