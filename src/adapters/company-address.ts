import type { LocationParts } from '../domain/normalize/location.js';
import { isOfLabel } from './company-label.js';
import { type AddressBlock, readAddressBlocks } from './readers/address-blocks.js';
import type { PageReader } from './readers/page-reader.js';
import { hasLegalForm } from './readers/site-name.js';
import type { Site } from './site-owner.js';

/** The printed address of the company's seat. Lists of branches have none, unless one of them is said to be it. */
export function seatOf(reader: PageReader, site: Site): AddressBlock | null {
  const isContactPage = CONTACT_PAGE.test([reader.title, ...reader.headings].join(' '));
  const blocks = readAddressBlocks(reader.lines).filter(
    (block) =>
      !isOfOthers(block) &&
      (isContactPage || isForContact(block, reader) || isNamed(block, site) || HEAD.test(block.heading)),
  );
  const offices = distinct(blocks);
  const heads = offices.filter(({ heading }) => HEAD.test(heading));
  if (offices.length <= 1) return offices[0] ?? null;
  if (heads.length === 1) return heads[0] ?? null;
  const streets = offices.filter(
    ({ place, heading }) => !/\bbox\b/i.test(place.street ?? '') && !REGISTERED.test(heading),
  );
  if (streets.length === 1) return streets[0] ?? null;
  // Of many only the one that every page of the site repeats at its foot; of two else the first, the elder.
  const [foot = null, ...others] = streets.filter(({ region, isAddressTag }) => region === 'foot' || isAddressTag);
  if (foot !== null && others.length === 0) return foot;
  return offices.length === 2 ? (streets[0] ?? offices[0] ?? null) : null;
}

const HEAD =
  /\b(?:head\s?quarters?|head\s?office|main\s?office|corporate\s(?:office|head\w*|address)|home\soffice|hq|global\soffice|hauptsitz|zentrale|firmensitz|hauptverwaltung|siège(?:\ssocial)?|sede(?:\s(?:central|legal|legale|principal|social))?|sídlo|centrála|siedziba|hovedkontor|huvudkontor|pääkonttori|hoofdkantoor|székhely)\b/i;
const REGISTERED = /\bregistered\s(?:office|address)\b/i;
const CONTACT_PAGE =
  /\b(?:contacts?|kontakt\w?|contatti|contactos?|contato|impressum|imprint|find us|visit us|location)\b/i;

/** Who pays, watches or judges a company is told with an address too. */
const isOfOthers = ({ above, heading }: AddressBlock): boolean =>
  OF_OTHERS.test([...above, heading.slice(heading.lastIndexOf('\n') + 1)].join('\n'));

const OF_OTHERS =
  /\b(?:(?:supported|sponsored|funded|regulated|supervised|licensed|accredited|insured|certified|hosted)\sby|members?\sof|mitglied\s|(?:aufsichts|schlichtungs|verbraucherschlichtungs)\p{L}+|\p{L}*kammer\b|amtsgericht|landesgericht|ombuds\p{L}+|hosting\s?:|hébergeur|hébergé\spar|hébergement|soutenu\spar|membre\sde|miembro\sde|membro\sd|associato\sa|zřizovatel|dozorov\p{L}+)/iu;

/** Below the company's own name, or a registered one. */
const isNamed = ({ above }: AddressBlock, { label }: Site): boolean =>
  above.some((name) => isOfLabel(name, label) || hasLegalForm(name));

/** In the foot of the page, in its own element, below a word for it, or among numbers and e-mail addresses. */
function isForContact(block: AddressBlock, reader: PageReader): boolean {
  if (block.region === 'foot' || block.isAddressTag || HEADING.test(block.heading)) return true;
  const around = reader.lines.slice(Math.max(0, block.firstLine - NEAR), block.lastLine + NEAR + 1);
  return around.some(({ text }) => text.length < 300 && WAYS.test(text));
}

const NEAR = 5;
const HEADING =
  /\b(?:address|contact|visit|find us|location|office|where|directions|showroom|adresse|anschrift|kontakt|indirizzo|dirección|morada|adres)\b/i;
const WAYS =
  /@|\b(?:tel|phone|fax|telefon|téléphone|telephone|e-?mail|call us)\b|\+\d{2}|\(\d{3}\)\s?\d|\d{3}[.-]\d{3}[.-]\d{4}|\b0\d{2,4}\s\d{3,4}\s?\d{3}/i;

function distinct(blocks: readonly AddressBlock[]): AddressBlock[] {
  const offices = new Map<string, AddressBlock>();
  for (const block of blocks) {
    const key = keyOf(block.place);
    const known = offices.get(key);
    // The same office twice: whichever says more of itself.
    if (!known || (HEAD.test(block.heading) && !HEAD.test(known.heading))) offices.set(key, block);
  }
  return [...offices.values()];
}

const keyOf = ({ city, postal_code, street }: LocationParts): string =>
  (postal_code ?? `${city} ${street}`)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .slice(0, 5) + (city ?? '').toLowerCase();
