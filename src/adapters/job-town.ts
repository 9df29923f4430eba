import { isCountry } from '../domain/normalize/countries.js';
import { type LocationParts, normalizeLocation } from '../domain/normalize/location.js';
import { isNoPlace } from '../domain/normalize/location-pieces.js';
import { isRegion } from '../domain/normalize/places.js';
import { isNotSaid, isTerms } from './job-words.js';
import type { RawPlace } from './readers/place.js';

/**
 * Where the page itself says that a text is a place, a name that is no country and no region is that of a town, large
 * or small: `Location: Ljungby`. What else stands there (`Head Office`, `Nationwide`, `North West`) is made of other words.
 */
export function townIn(place: RawPlace): RawPlace {
  if (typeof place !== 'string' || place.length > MAX_LENGTH) return place;
  const { city, state_region, country } = normalizeLocation(place);
  if (city !== null || state_region !== null || country !== null) return place;
  const name = place.replace(/\s?\([^()]{0,100}\)\s*$/, '').trim();
  const parts: LocationParts = { city: name, state_region: null, country: null, raw: place };
  return isTown(name) ? parts : place;
}

const MAX_LENGTH = 120;
const MAX_NAME = 40;
const SHAPE =
  /^\p{Lu}[\p{L}'’.]+(?:[ -](?:\p{Lu}[\p{L}'’]+|de|la|le|les|el|los|las|del|di|da|do|dos|den|der|am|an|im|in|ob|bei|sur|sous|en|aux|lès|upon|on|under|by|the|of|nad|pod|v|u|i|aan|op|ved)){0,4}$/u;

/** Could this be the name of a town, and of nothing else that stands where towns do? */
export function isTown(name: string): boolean {
  if (name.length < 3 || name.length > MAX_NAME || !SHAPE.test(name) || NO_TOWN.test(name)) return false;
  const isCode = name === name.toUpperCase() && name.length < 5;
  return !isCode && !isCountry(name) && !isRegion(name) && !isNoPlace(name) && !isNotSaid(name) && !isTerms(name);
}

const NO_TOWN = new RegExp(
  `(?<!\\p{L})(?:${[
    'offices?|area|region|regional|county|district|province|nation(?:al|wide)|statewide|countrywide|based|field|campus|sites?|various|multiple|several|many|all|any|both|other|our|your|see|not|unknown',
    'europe|emea|apac|latam|asia|africa|america|americas|global|international|worldwide|anywhere|abroad|overseas|hybrid|remote|remotely|flexible|mobile|virtual|home|telecommute|telework|onsite|travel',
    'north(?:ern|east|west)?|south(?:ern|east|west)?|east(?:ern)?|west(?:ern)?|central|midlands?|midwest|valley|coast|islands?|lowlands|highlands|downtown|uptown|midtown|suburbs?|metro|greater|cities|city centre',
    'headquarters?|head|hq|corporate|main|company|client|customer|store|warehouse|plant|factory|lab|laborator\\p{L}*|hospital|clinic|school|university|college|airport|building|center|centre|street|road|avenue|drive|floor|suite|department|division|team|branch|hotel|restaurant|studio',
    'zentrale|hauptsitz|raum|umgebung|bundesweit|deutschlandweit|österreichweit|schweizweit|mehrere|diverse|verschiedene|außendienst|homeoffice|kreis|landkreis|nord|süd|ost|west|mobil|kunden\\p{L}*',
    'siège|télétravail|france entière|plusieurs|divers|partout|secteur|département|région|agence|domicile|nord|sud|est|ouest',
    'toda|todo|varias|varios|teletrabajo|remoto|remota|nacional|zona|sede|tutta|tutto|varie|smart|presencial|híbrido',
    'thuiswerken|landelijk|heel|diverse|regio|celá|celé|celý|kraj|okres|domova|různé|více|zahraničí|cała|zdalna|zdalnie|hela|landet|flera|distans|hele|landsdekkende|hjemmekontor|koko|etätyö|országos',
    'full|part|time|job|jobs|position|apply|map|view|show|details|description|salary|competitive|negotiable|permanent|contract|temporary|urgent|immediate',
  ].join('|')})(?!\\p{L})`,
  'iu',
);
