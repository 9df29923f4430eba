import { foldLetters } from './text.js';

/** A house number, or a word that stands for a street or a part of a house. */
export const isStreetLike = (text: string): boolean => /\d/.test(text) || hasStreetWord(text);

export const hasStreetWord = (text: string): boolean => {
  const words = foldLetters(text).split(/[\s.,]+/);
  // `St. Louis`, `Al Ain`: at the beginning they are no streets.
  return words.some((word, at) => (at > 0 || !/^(?:st|ste|al|av|dr)$/.test(word)) && isStreetWord(word));
};

/** Either of them, but not the part of a house alone. */
export const isStreet = (text: string): boolean => !UNIT_FIRST.test(text) && (isHouse(text) || hasStreetWord(text));

const UNIT_FIRST = /^(?:suite|ste|unit|floor|room|level|apt)\b/i;

/** A word and a number; `12` alone or `2nd` says nothing. */
export const isHouse = (text: string): boolean =>
  /\p{L}{3}/u.test(text) && /(?:^|\s)\d{1,5}\w?(?:[/-]\d+\w?)?\.?(?:\s|$)/.test(text);

const isStreetWord = (word: string): boolean => STREET_WORDS.has(word) || STREET_ENDING.test(word);

const STREET_WORDS: ReadonlySet<string> = new Set(
  (
    'street st road rd avenue ave av lane ln drive dr way court ct place pl square sq boulevard blvd parkway pkwy highway ' +
    'hwy freeway fwy turnpike pike terrace trail circle cir crescent close row mews walk quay wharf embankment ' +
    'expressway plaza broadway loop alley suite ste floor unit building bldg apt room house level block tower ' +
    'rue quai chemin allee impasse cours bd cedex via viale piazza corso largo calle avda avenida paseo carrer rua ' +
    'travessa praca estrada andar ulice ulica ul namesti nam trida aleje al nabrezi gade vej alle plads gata gatan vagen ' +
    'vei veien katu straat laan plein kade gracht utca krt strada bulevardul cad caddesi sok sokak mah strasse str weg ' +
    'platz gasse ring damm ufer postfach'
  ).split(' '),
);

/** Street and kind in one word. */
const STREET_ENDING =
  /.(?:strasse|str|weg|platz|gasse|allee|damm|ufer|straat|laan|plein|gracht|kade|gatan|vagen|veien|vej|gade|katu|utca)$/;

/**
 * The city behind a street that nothing parts from it: `412 Mill Creek Parkway Dayton`. Only for streets of the
 * English kind, which end with their word; `null` where the end of the street is not beyond doubt.
 */
export function cityBehindStreet(text: string): string | null {
  const words = text.split(' ');
  const street = /^\d/.test(words[0] ?? '') ? lastStreetWord(words) : -1;
  if (street === -1) return null;
  const [first = '', ...more] = words.slice(beyondUnit(words, street + 1));
  const isDoubtful = !/^\p{Lu}/u.test(first) || /^(?:[A-Z]|north|south|east|west|upper|lower)$/i.test(first);
  return isDoubtful || more.length > 2 ? null : [first, ...more].join(' ');
}

const ENGLISH_STREET =
  /^(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|way|court|ct|place|pl|square|sq|boulevard|blvd|parkway|pkwy|highway|hwy|freeway|fwy|turnpike|pike|terrace|trail|circle|cir|crescent|broadway|expressway|plaza|loop)\.?$/i;
const UNIT = /^(?:suite|ste|unit|apt|floor|fl|room|rm|bldg|building|level)\.?$/i;

/** `St. Louis` behind a `Street` is a city and no second street. */
function lastStreetWord(words: readonly string[]): number {
  for (let at = words.length - 2; at > 0; at -= 1) {
    const isSaint = /^st\.?$/i.test(words[at] ?? '') && ENGLISH_STREET.test(words[at - 1] ?? '');
    if (ENGLISH_STREET.test(words[at] ?? '') && !isSaint) return at;
  }
  return -1;
}

/** Past `NW`, `Suite 205`, `#3` and the number of a highway. */
function beyondUnit(words: readonly string[], start: number): number {
  let at = start;
  if (/^(?:[NS]\.?[EW]?|[EW])\.?$/.test(words[at] ?? '')) at += 1;
  if (UNIT.test(words[at] ?? '')) at += 2;
  else if (/^#?\d+\w?$/.test(words[at] ?? '')) at += 1;
  return at;
}
