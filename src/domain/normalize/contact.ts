import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** An e-mail address from text or a `mailto:` link; its domain in lower case. `null` when it is not one address. */
export function normalizeEmail(text: string): string | null {
  const address = decodedPercent(text.replace(/^mailto:/i, '').split('?', 1)[0] ?? '').trim();
  if (address.length > 254) return null;
  const match = /^([^\s@<>()"',;:]+)@((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,})$/u.exec(address);
  return match ? `${match[1]}@${match[2]?.toLowerCase()}` : null;
}

/** Letters of an address do not count their case, in practice on both sides of the sign. */
export const sameEmail = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' && addressKey(a) === addressKey(b);

const addressKey = (text: string): string => (normalizeEmail(text.slice(0, 500)) ?? text.slice(0, 500)).toLowerCase();

/** A phone number as it is printed, without its label. `null` when it is not one number. */
export function normalizePhone(text: string): string | null {
  if (text.length > 100) return null;
  const printed = decodedPercent(text.replace(/^(?:tel|callto):(?:\/\/)?/i, '').split(';', 1)[0] ?? '')
    .replace(/^(?:telephone|telefon|phone|tel|call|t|p)\b[\s.:]*/i, '')
    .trim();
  if (!/^[+(]?[\d\s().+/\u2010-\u2015-]+(?:\s*(?:ext|x|extension)[\s.:]*\d{1,6})?$/i.test(printed)) return null;
  const digits = printed.replace(/\D/g, '').length;
  // E.164 allows 15; an extension and a national zero in brackets may stand beside them.
  return digits >= 5 && digits <= 20 ? printed : null;
}

/** The same line, with or without the codes in front: the last seven digits tell numbers of one company apart. */
export function samePhone(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  const [one, other] = [phoneKey(a), phoneKey(b)];
  return one.length >= 5 && (one.endsWith(other.slice(-7)) || other.endsWith(one.slice(-7)));
}

const phoneKey = (text: string): string => digitsOf(text.slice(0, 100).replace(EXTENSION, ''));
const EXTENSION = /\s?(?:ext|x|extension)[\s.:]{0,3}\d{1,6}$/i;

export const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Free for the caller: the number of a company, but seldom of its office. */
export function isTollFree(printed: string): boolean {
  const digits = digitsOf(printed).replace(/^(?:1|0044|44)(?=8)/, '');
  if (digits.length === 10 && /^8(?:00|33|44|55|66|77|88)/.test(digits)) return true;
  return /^(?:0800|0808|1800|1300)\d{5,7}$/.test(digitsOf(printed));
}

/**
 * The number for dialling from anywhere. Only where its country is certain: it begins with a plus, or the caller knows
 * the country (ISO 3166-1) from the address beside it.
 */
export function phoneE164(printed: string, country: string | null): string | null {
  const known = country !== null && isSupportedCountry(country) ? (country as CountryCode) : undefined;
  const text = printed
    .trim()
    .replace(/^\(\s?\+/, '+')
    .replace(/^00(?=[1-9])/, '+');
  if (!text.startsWith('+') && known === undefined) return null;
  const number = parsePhoneNumberFromString(text.slice(0, 100), known);
  return number?.isValid() ? number.number : null;
}

function decodedPercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
