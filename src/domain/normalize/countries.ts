import { isCountryCode } from '../country-code.js';
import { foldLetters } from './text.js';

/**
 * The country that a name or code means, as pages of the common languages print it; `null` when it means none. Only for
 * recognising: nothing is translated. Codes count in capitals only, and names whatever their case and accents.
 */
export function countryOf(word: string): string | null {
  if (/^[A-Z]{2}$/.test(word)) return word === 'UK' ? 'GB' : countryCodes().has(word) ? word : null;
  if (/^[A-Z]{3}$/.test(word)) return LONG_CODES[word] ?? countryNames().get(foldLetters(word)) ?? null;
  if (word.length > MAX_NAME || /^[a-z]{0,2}$/i.test(word)) return null;
  return countryNames().get(foldLetters(word)) ?? null;
}

export const isCountry = (word: string): boolean => countryOf(word) !== null;

const MAX_NAME = 60;

// The long codes of ISO 3166 that are printed at all, and two abbreviations.
const LONG_CODES: Record<string, string> = Object.fromEntries(
  (
    'USA:US UAE:AE GBR:GB DEU:DE GER:DE AUT:AT CHE:CH FRA:FR ESP:ES ITA:IT PRT:PT NLD:NL BEL:BE LUX:LU IRL:IE DNK:DK ' +
    'SWE:SE NOR:NO FIN:FI POL:PL CZE:CZ SVK:SK HUN:HU ROU:RO BGR:BG GRC:GR HRV:HR SVN:SI SRB:RS UKR:UA EST:EE LVA:LV ' +
    'LTU:LT TUR:TR CAN:CA MEX:MX BRA:BR ARG:AR CHL:CL COL:CO IND:IN CHN:CN JPN:JP KOR:KR TWN:TW HKG:HK SGP:SG MYS:MY ' +
    'IDN:ID THA:TH VNM:VN PHL:PH AUS:AU NZL:NZ ZAF:ZA EGY:EG KEN:KE NGA:NG ISR:IL SAU:SA ARE:AE QAT:QA PAK:PK'
  )
    .split(' ')
    .map((pair) => pair.split(':')),
);

// Names of countries in one language that are cities, people or something else in another.
const NO_NAMES: ReadonlySet<string> = new Set(
  'granada,maurice,man,norfolk,salvador,brasilia,tunis,saint martin,san martin,santa elena'.split(','),
);

// What Intl calls otherwise, or more formally, than pages do.
const ALIASES: Record<string, string> = {
  US: "u.s.,u.s.a.,united states of america,the united states,vereinigte staaten von amerika,états-unis d'amérique,estados unidos de américa,stati uniti d'america,eeuu,ee. uu.,ee.uu.",
  GB: 'u.k.,great britain,britain,großbritannien,grande-bretagne,gran bretagna,gran bretaña,groot-brittannië,velká británie,wielka brytania',
  AE: 'u.a.e.,vae',
  AT: 'republik österreich',
  BA: 'bosnia and herzegovina,bosnia',
  BY: 'belarus,byelorussia',
  CD: 'democratic republic of the congo,dr congo',
  CI: 'ivory coast',
  CN: "pr china,p.r. china,p. r. china,prc,people's republic of china,中华人民共和国",
  CV: 'cape verde',
  CZ: 'czech republic,the czech republic,česko,česká republika,čr,tschechische republik,república checa,repubblica ceca,république tchèque',
  DE: 'bundesrepublik deutschland,brd',
  HK: 'hong kong,hongkong,香港',
  IE: 'republic of ireland,éire',
  KR: 'korea,republic of korea,대한민국',
  MK: 'macedonia',
  MM: 'burma,myanmar',
  MO: 'macau,macao',
  NL: 'holland,the netherlands',
  PH: 'the philippines',
  PS: 'palestine',
  RU: 'russian federation',
  SA: 'k.s.a.,ksa,kingdom of saudi arabia',
  SK: 'slovak republic,slovenská republika',
  TR: 'turkey,turkiye',
  TT: 'trinidad and tobago',
  TW: '台湾,台灣',
  VN: 'viet nam',
};

const LANGUAGES =
  'en de fr es it pt nl cs sk pl da sv nb fi hu ro el tr uk ru bg hr sl lt lv et ca ja zh ko ar he'.split(' ');

let codes: ReadonlySet<string> | null = null;

function countryCodes(): ReadonlySet<string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  codes ??= new Set(letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountryCode));
  return codes;
}

let known: ReadonlyMap<string, string> | null = null;

/** Built on first use from what the runtime knows, in some thirty milliseconds: no start has to wait for it. */
function countryNames(): ReadonlyMap<string, string> {
  if (known) return known;
  const found = new Map<string, string>();
  const learn = (name: string, code: string) => {
    const key = foldLetters(name);
    if (key.length > 1 && !NO_NAMES.has(key) && !found.has(key)) found.set(key, code);
  };
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    for (const code of countryCodes()) learn(display.of(code) ?? '', code);
  }
  for (const [code, names] of Object.entries(ALIASES)) for (const name of names.split(',')) learn(name, code);
  known = found;
  return known;
}
