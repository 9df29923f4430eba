import type { Piece } from './address-pieces.js';
import { isCountry } from './countries.js';
import { asCity, isRegion, peelTail, type Tail } from './places.js';
import { cityBehindStreet } from './street.js';

/** What an address says, and the pieces it says it in. */
export interface Found extends Tail {
  city: string | null;
  code: string | null;
  cityAt: number;
  last: number;
}

export interface Walked extends Tail {
  cityAt: number;
}

/** From the code back over country and region to the words that hold the city. */
export function walkBack(pieces: readonly Piece[], from: { at: number; text: string; country: string | null }): Walked {
  let tail: Tail = { rest: from.text, region: null, country: from.country };
  let at = from.at;
  for (let step = 0; step < 4; step += 1) {
    // `Norwich, Norfolk, England`: the county says more.
    const isNation = tail.region !== null && /^(?:england|scotland|wales|northern ireland)$/i.test(tail.region);
    if (isNation && isRegion(tail.rest)) tail = { ...tail, region: tail.rest, rest: '' };
    else tail = peelTail(tail.rest, tail);
    if (tail.rest !== '' || at === 0) break;
    at -= 1;
    tail = { ...tail, rest: pieces[at]?.text ?? '' };
    if (tail.region !== null && !isRegion(tail.rest)) break;
  }
  return { ...tail, cityAt: at };
}

/** A region and a country in the pieces right behind this one. */
export function placesBehind(
  pieces: readonly Piece[],
  at: number,
): { region: string | null; country: string | null; last: number } {
  let region: string | null = null;
  for (const [index, { text }] of pieces.slice(at + 1, at + 3).entries()) {
    if (isCountry(text)) return { region, country: text, last: at + 1 + index };
    if (!isRegion(text)) break;
    region = text;
  }
  return { region, country: null, last: region === null ? at : at + 1 };
}

export const cityIn = (text: string, region: string | null): string | null =>
  asCity(text, region) ?? asCity(cityBehindStreet(text), region);
