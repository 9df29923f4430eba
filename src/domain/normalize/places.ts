/**
 * Which words are countries and which are parts of one. Only for recognising what a page prints: nothing is translated
 * or completed. A word that could be either (`DE`, `Georgia`) is `unsure`, and whoever asks must then not decide.
 */
export type PlaceWord = 'country' | 'region' | 'unsure' | 'unknown';

export function placeWord(word: string): PlaceWord {
  if (UNSURE.has(word)) return 'unsure';
  if (REGION_CODES.has(word)) return 'region';
  if (/^[A-Z]{2}$/.test(word)) return isCountryCode(word) ? 'country' : 'unknown';
  const key = word.toLowerCase();
  if (REGION_NAMES.has(key)) return 'region';
  return COUNTRY_ALIASES.has(key) || countryNames().has(key) ? 'country' : 'unknown';
}

/** The two-letter code of a state or province, wherever else it may mean something too. */
export const isRegionCode = (word: string): boolean => REGION_CODES.has(word);

const REGION_CODES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK ' +
    'OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY AB BC MB NB NL NS NT NU ON PE QC SK YT'
  ).split(' '),
);

// Codes of states whose country of the same code is just as often written behind a city, and names that are both.
const UNSURE: ReadonlySet<string> = new Set([
  ...'DE IN IL CO AR NL PE SK PR'.split(' '),
  ...['Georgia', 'New York', 'Washington', 'Victoria', 'Luxembourg', 'Quebec', 'Québec'],
]);

const REGION_NAMES: ReadonlySet<string> = new Set(
  (
    'alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,hawaii,idaho,illinois,indiana,' +
    'iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,montana,' +
    'nebraska,nevada,new hampshire,new jersey,new mexico,north carolina,north dakota,ohio,oklahoma,oregon,' +
    'pennsylvania,rhode island,south carolina,south dakota,tennessee,texas,utah,vermont,virginia,west virginia,' +
    'wisconsin,wyoming,district of columbia,alberta,british columbia,manitoba,new brunswick,nova scotia,ontario,' +
    'prince edward island,saskatchewan,newfoundland and labrador,england,scotland,wales,northern ireland,bavaria,' +
    'bayern,hessen,hesse,saxony,sachsen,north rhine-westphalia,nordrhein-westfalen,baden-württemberg,' +
    'new south wales,queensland,south australia,western australia,tasmania'
  ).split(','),
);

const COUNTRY_ALIASES: ReadonlySet<string> = new Set(
  (
    'usa,u.s.,u.s.a.,united states of america,uk,u.k.,great britain,uae,u.a.e.,turkey,czech republic,hong kong,macau,' +
    'korea,republic of korea,ivory coast,burma,holland,the netherlands,viet nam,russian federation,deutschland,' +
    'österreich,schweiz,suisse,svizzera,españa,italia,nederland,belgië,belgique,belgien,polska,česko,' +
    'česká republika,slovensko,danmark,sverige,norge,suomi,brasil,méxico,türkiye,éire,magyarország,românia,ελλάδα,' +
    'hrvatska,slovenija,日本,中国,россия,україна'
  ).split(','),
);

const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
// Known to Intl as regions, but groups or gaps rather than countries.
const NOT_COUNTRIES: ReadonlySet<string> = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

const isCountryCode = (code: string): boolean => !NOT_COUNTRIES.has(code) && names.of(code) !== undefined;

let known: ReadonlySet<string> | null = null;

/** English names of all countries in lower case; built from Intl on first use. */
function countryNames(): ReadonlySet<string> {
  if (known) return known;
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter(isCountryCode);
  known = new Set(codes.map((code) => names.of(code)?.toLowerCase() ?? ''));
  return known;
}
