import { Secret } from '../domain/secret.js';
import type { Credential, CredentialCookie } from '../ports/credentials.js';

/** The answer is not a credential. The message names the place, never what stands there. */
export class ShapeFault extends Error {}

const MAX_COOKIES = 100;
const MAX_HEADERS = 50;

/**
 * Reads `{ cookies, headers }`, bare or as the `data` of an envelope. `cookies` is a list of
 * `{ name, value, domain?, path? }` or a record of names and values; `headers` is a record. Whatever else is there is not
 * ours to judge. `null`: there is neither a cookie nor a header, so there is nothing to log in with.
 */
export function readCredential(bytes: Uint8Array, provider: string): Credential | null {
  const content = unwrapped(parsed(bytes));
  if (content === null) return null;
  const cookies = readCookies(content.cookies ?? []);
  const headers = readHeaders(content.headers ?? {});
  if (cookies.length === 0 && headers.length === 0) return null;
  return { provider, cookies, headers: Object.fromEntries(headers) };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message quotes the text.
    throw new ShapeFault('a body that is not JSON');
  }
}

function unwrapped(body: unknown): Record<string, unknown> | null {
  if (!isRecord(body)) throw new ShapeFault('a body that is not an object');
  if (!('success' in body)) return body;
  if (body.success !== true) throw new ShapeFault('an envelope without success');
  if (body.data === null) return null;
  if (!isRecord(body.data)) throw new ShapeFault('an envelope without data');
  return body.data;
}

function readCookies(cookies: unknown): CredentialCookie[] {
  if (!Array.isArray(cookies) && !isRecord(cookies)) throw new ShapeFault('cookies that are no list');
  const list: unknown[] = Array.isArray(cookies)
    ? cookies
    : Object.entries(cookies).map(([name, value]) => ({ name, value }));
  if (list.length > MAX_COOKIES) throw new ShapeFault('too many cookies');
  return list.map(readCookie);
}

function readCookie(cookie: unknown): CredentialCookie {
  if (!isRecord(cookie)) throw new ShapeFault('a cookie that is no object');
  const { name, value, domain = null, path = null } = cookie;
  if (!isText(name, TOKEN)) throw new ShapeFault('a cookie without a usable name');
  if (!isText(value, COOKIE_VALUE)) throw new ShapeFault('a cookie without a usable value');
  if (domain !== null && !isText(domain, COOKIE_DOMAIN)) throw new ShapeFault('a cookie without a usable domain');
  if (path !== null && !isText(path, COOKIE_PATH)) throw new ShapeFault('a cookie without a usable path');
  // The leading dot of old cookies says nothing today.
  const host = domain?.toLowerCase().replace(/^\./, '') ?? null;
  return { name, value: new Secret(value), domain: host, path: path ?? '/' };
}

function readHeaders(headers: unknown): [name: string, value: Secret][] {
  if (!isRecord(headers)) throw new ShapeFault('headers that are no object');
  const pairs = Object.entries(headers).map(([name, value]): [string, Secret] => {
    if (!isText(name, TOKEN) || isOurs(name.toLowerCase())) throw new ShapeFault('a header that may not be set');
    if (!isText(value, HEADER_VALUE)) throw new ShapeFault('a header without a usable value');
    return [name.toLowerCase(), new Secret(value)];
  });
  if (pairs.length > MAX_HEADERS) throw new ShapeFault('too many headers');
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) throw new ShapeFault('a header that is there twice');
  return pairs;
}

/** They frame the message or name the connection; `cookie` has a list of its own, bound to where each one belongs. */
const isOurs = (name: string): boolean => OURS.has(name) || name.startsWith('proxy-');

const OURS = new Set(
  (
    'cookie set-cookie host content-length connection keep-alive te trailer transfer-encoding upgrade expect ' +
    'http2-settings'
  ).split(' '),
);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown, shape: RegExp): value is string => typeof value === 'string' && shape.test(value);

/** RFC 9110: names of headers, and of cookies as everybody writes them. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;
/** One byte per character, no control characters; in a cookie a semicolon would begin something else. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const COOKIE_VALUE = /^[\x20-\x3a\x3c-\x7e\x80-\xff]*$/;
const COOKIE_DOMAIN = /^\.?[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?$/i;
const COOKIE_PATH = /^\/[\x20-\x3a\x3c-\x7e]{0,1024}$/;
