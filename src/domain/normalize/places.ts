import { cityOf, homesOf } from './cities.js';
import { countryOf, isCountry } from './countries.js';
import { regionOf } from './regions.js';
import { hasStreetWord } from './street.js';

/** What the last words of a text say of its region and country, and the text before them. */
export interface Tail {
  rest: string;
  region: string | null;
  country: string | null;
}

export const isRegion = (word: string): boolean => regionOf(word).length > 0;
export const isLargeCity = (word: string): boolean => cityOf(word).length > 0;

/**
 * Takes a country and then a region off the end of a text: `Dayton OH USA`. What is known already is not looked for
 * again, and the longest name is taken first: `New Mexico` is not in Mexico.
 */
export function peelTail(text: string, known: Omit<Tail, 'rest'> = { region: null, country: null }): Tail {
  const words = text.split(' ');
  const tail: Tail = { ...known, rest: text };
  let size = Math.min(MAX_WORDS, words.length);
  // `Ciudad de México` ends in a country and is none.
  let isCity = isCityOfWords(words);
  while (size > 0 && tail.region === null && !isCity) {
    const name = words.slice(words.length - size).join(' ');
    const kind = isRegion(name)
      ? 'region'
      : tail.country === null && isInlineCountry(name, words.length)
        ? 'country'
        : null;
    if (kind === null) size -= 1;
    else {
      tail[kind] = name;
      words.length -= size;
      size = Math.min(MAX_WORDS, words.length);
      isCity = isCityOfWords(words);
    }
  }
  return { ...tail, rest: words.join(' ') };
}

/** Only the country off the end of a text, where something is left before it. */
export function peelCountry(text: string): Omit<Tail, 'region'> {
  const words = text.split(' ');
  for (let size = Math.min(MAX_WORDS, words.length - 1); size > 0; size -= 1) {
    const name = words.slice(words.length - size).join(' ');
    if (isRegion(name)) break;
    if (isInlineCountry(name, words.length)) return { rest: words.slice(0, -size).join(' '), country: name };
  }
  return { rest: text, country: null };
}

const MAX_WORDS = 4;

const isCityOfWords = (words: readonly string[]): boolean =>
  words.length > 1 && words.length <= MAX_WORDS && isLargeCity(words.join(' ')) && !isCountry(words.join(' '));

/** Behind other words a short name or code may be anything (`Long Island`, `New Jersey`); alone it is a country's. */
const isInlineCountry = (name: string, words: number): boolean =>
  isCountry(name) && (words === 1 || SURE_CODES.test(name) || (name.length > 4 && !OFTEN_PART.test(name)));

const SURE_CODES = /^(?:USA?|UK|GB|UAE|Peru|Perú|Iran|Iraq|Cuba|Oman|Mali|Togo)$/;
const OFTEN_PART = /^(?:island|jersey|r[eé]union|jordan|guinea|congo|indie|macedonia)$/i;

/** May this region lie in this country? Also yes where either is not known well enough to say no. */
export function fits(region: string, country: string | null): boolean {
  const homes = regionOf(region);
  const code = country === null ? null : countryOf(country);
  return code === null || homes.includes('??') || homes.includes(code);
}

/**
 * Some words are a region of one country and the name of another: in `Leipzig, DE` and `Tbilisi, Georgia` the city
 * tells, and where it does not, only those that hardly anybody prints for the country are regions.
 */
export function regionOrCountry(word: string, city: string | null): 'region' | 'country' | 'unsure' {
  const country = countryOf(word);
  if (country === null) return 'region';
  const homes = city === null ? [] : cityOf(city);
  if (homes.includes(country) || (city !== null && countryOf(city) === country)) return 'country';
  if (homes.some((home) => regionOf(word).includes(home))) return 'region';
  return city === null || DOUBTFUL.has(word) ? 'unsure' : 'region';
}

const DOUBTFUL: ReadonlySet<string> = new Set('DE NL SK PE SA'.split(' '));

/** `Basel, BS`: a code that names another country than the city's is that of a canton or province. */
export function isCodeElsewhere(country: string, city: string | null): boolean {
  if (!/^[A-Z]{2}$/.test(country) || SURE_CODES.test(country) || city === null) return false;
  const homes = homesOf(city);
  return homes.length > 0 && !homes.includes(country) && homes.every((home) => HAS_CODES.has(home));
}

/** Countries that print the two letters of a canton, province or state behind a city. */
const HAS_CODES: ReadonlySet<string> = new Set('BR CH IT'.split(' '));

/** `Karnataka, IN`, `Bayern, DE`: a region before the code of its country. `Ontario, CA` is a city as well. */
export const isRegionOf = (region: string, code: string): boolean =>
  code !== 'CA' && /^[A-Z]{2}$/.test(code) && regionOf(region).includes(code);

/** Named like the largest city in them, so that alone they may be either. */
export const isAlsoCity = (region: string): boolean => /^(?:new york|washington|qu[eé]bec)$/i.test(region);

/**
 * The city in what stands where a city stands, without its district (`Praha 4`, `Praha – Libeň`, `Paris Cedex 08`).
 * `null` where it could be anything else. Beside its region a city may be named like a country: `Lebanon, PA`.
 */
export function asCity(text: string | null, region: string | null = null): string | null {
  if (text === null || text.length > 80) return null;
  const name = withoutDistrict(text.trim());
  if (name.length < 2 || name.length > 50 || name.split(' ').length > 5) return null;
  if (
    !CITY_SHAPE.test(name) ||
    /^[A-Z]{2}$/.test(name) ||
    NOT_A_CITY.test(name) ||
    NOT_ALONE.test(name) ||
    hasStreetWord(name)
  )
    return null;
  return region === null && isCountry(name) && !CITY_STATES.test(name) ? null : name;
}

function withoutDistrict(text: string): string {
  const whole = text.replace(/\s+cedex(?:\s+\d{1,2})?$/i, '');
  const [head = ''] = whole.split(/\s[-–—]\s/, 1);
  const city = withoutNumber(head);
  return city !== whole && isLargeCity(city) ? city : whole;
}

/** `Dublin 2`, `Praha 10`, `Lyon 3e`, `London EC2`, `København NV` */
const withoutNumber = (text: string): string =>
  text.replace(/\s+(?:\d{1,2}(?:er|e|ème)?\.?|[A-Z]{1,2}\d{1,2}[A-Z]?|\p{Lu}{1,2})$/u, '');

// Letters of any script with what stands between them in names: `Frankfurt a. M.`, `'s-Hertogenbosch`, `Halle (Saale)`.
const CITY_SHAPE =
  /^(?:['’]s-|\p{L}['’]|(?:den|de|la|le|el|los|las) )?[\p{Lu}\p{Lo}][\p{L}\p{M}.'’ /-]*(?: ?\(\p{L}+\))?$/u;

const CITY_STATES = /^(?:singapore|luxembourg|monaco|gibraltar|hong kong|panama|guatemala|kuwait|san marino)$/i;

const NOT_ALONE =
  /^(?:the (?!hague$).*|(?:north|south|east|west)(?:ern)?|central|upstate|downtown|emea|apac|latam|dach|benelux|nordics|europe|asia|africa|americas?|eu|po box|box|p\.o\. box|.* (?:estate|centre|center|campus|studios?|(?:business|science|retail|office|industrial|technology) park))$/i;

const NOT_A_CITY = new RegExp(
  `(?:^|[^\\p{L}])(?:${[
    'remote|remotely|hybrid|anywhere|worldwide|nationwide|home|online|multiple|various|several|locations?|offices?|global',
    'homeoffice|télétravail|teletrabajo|thuiswerk|onsite|on-site|field|virtual|headquarters|hq',
    // Areas around a city, and two cities in one breath.
    'area|areas|region|county|metro|metropolitan|district|or|and|und|oder|et|ou|nebo|near|greater|within',
    'gmbh|inc|llc|ltd|limited|corp|company|copyright|reserved|hours|please|address|adresse|contact|kontakt|call',
  ].join('|')})(?:$|[^\\p{L}])`,
  'iu',
);
