const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** Regions with a name that are no countries of ISO 3166-1: unions, parts of countries, placeholders. */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

/** Is it a country's code, in capitals? Aliases such as UK (for GB) are not: nothing else here would know them. */
export function isCountryCode(text: string): boolean {
  if (!/^[A-Z]{2}$/.test(text) || NO_COUNTRIES.has(text)) return false;
  return names.of(text) !== undefined && new Intl.Locale(`und-${text}`).region === text;
}
