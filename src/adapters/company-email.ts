import { domainOfHost } from '../domain/registrable-domain.js';
import { type FoundEmail, readEmails } from './readers/emails.js';
import type { PageReader } from './readers/page-reader.js';
import type { Site } from './site-owner.js';

/** The address a stranger should write to, of all that the page shows. */
export function contactEmail(reader: PageReader, site: Site): FoundEmail | null {
  const each = new Map<string, FoundEmail>();
  for (const email of readEmails(reader)) {
    const key = email.address.toLowerCase();
    if (!each.has(key) && !isFilling(key) && !CREDIT.test(email.context)) each.set(key, email);
  }
  const all = [...each.values()];
  const own = all.filter(({ address }) => site.owns(hostOf(address)));
  if (own.length > 0) return frontDoor(own);
  // Of strangers no back door: a lawyer's or a printer's would be one.
  return frontDoor(ofOneHouse(all, site).filter(({ address }) => site.label === null || !BACK_DOOR.test(address)));
}

export const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/**
 * Addresses elsewhere are the company's only where all of one house stand alone: beside others they may be a partner's
 * or the printer's. Where nobody knows the site's own domain, the house with most of them is its own.
 */
function ofOneHouse(emails: readonly FoundEmail[], site: Site): FoundEmail[] {
  const houses = new Map<string, FoundEmail[]>();
  for (const email of emails) {
    const house = domainOfHost(hostOf(email.address));
    houses.set(house, [...(houses.get(house) ?? []), email].slice(0, 100));
  }
  if (houses.size <= 1) return [...emails];
  if (site.label !== null) return [];
  const [largest = [], second = []] = [...houses.values()].sort((a, b) => b.length - a.length);
  return largest.length > second.length ? largest : [];
}

/** A door for everybody, else for customers, else the only one there is. */
function frontDoor(emails: readonly FoundEmail[]): FoundEmail | null {
  const first = (words: RegExp) => emails.find(({ address }) => words.test(address));
  const door = first(EVERYBODY) ?? first(CUSTOMERS);
  if (door) return door;
  const [only = null, ...others] = emails.filter(({ address }) => !BACK_DOOR.test(address));
  if (only !== null) return others.length === 0 ? only : null;
  return emails.length === 1 ? (emails[0] ?? null) : null;
}

const EVERYBODY =
  /^(?:info\w{0,6}|information|contact(?:us|-us|o|os)?|contatti?|contato|kontakt|hello|hi|hallo|hola|ola|ahoj|bonjour|office|mail|e?mailus|email|enquir(?:y|ies)|inquir(?:y|ies)|general|reception|secretariat|sekretariat|secretary|biuro|firma|welcome|post|posta|poststelle|team|hq|headoffice|frontdesk|ask|connect|talk|accueil|kontor|zentrale)@/i;
const CUSTOMERS =
  /^(?:sales|support|customer[._-]?(?:service|care|support)|service|services|help|helpdesk|podpora|obchod|verkauf|vertrieb|vendas|ventas|commercial|comercial|geral|orders?|bookings?|reservations?|reservas?|shop|store|studio|admin|administration|prodej|sklep|vendite|verkoop|myynti|salg)@/i;
const BACK_DOOR =
  /^(?:webmaster|postmaster|hostmaster|abuse|no-?reply|donotreply|jobs?|careers?|career|hr|hrdept|recruit\w*|resumes?|cv|press|media|legal|billing|accounts?|accounting|invoices?|marketing|unsubscribe|newsletter|feedback|advertising|ads)@/i;

/** Who made the website is not who owns it. */
export const CREDIT =
  /\b(?:(?:web\s?)?(?:site|design|development|hosting)(?:ed)?\s(?:and\s\w{4,12}\s)?by|(?:designed|developed|powered|created|built|hosted|maintained)\s(?:and\s\w{4,12}\s)?by|web\s?design\b)/i;

/** What templates and forms print where an address should stand; takes lower case. */
const isFilling = (address: string): boolean =>
  FILLED_NAME.test(address) ||
  DATA_OFFICER.test(address) ||
  FILLED_HOST.test(hostOf(address)) ||
  SERVICE_HOST.test(hostOf(address));

const FILLED_NAME =
  /^(?:you|your|your[._-]?(?:name|e?mail|address)|name|user(?:name)?|first[._-]?name(?:[._-]?last[._-]?name)?|first[._-]last|john[._-]?(?:doe|smith)|jane[._-]?doe|someone|somebody|xxx+|test|no-?reply|donotreply|do-not-reply|example)@/;
// Every site must name one, and nobody should write there about anything else.
const DATA_OFFICER =
  /^(?:dpo|privacy|gdpr|rodo|iod|datenschutz|dataprotection|data-protection|ochronadanych|privacidad|privacidade)@/;
const FILLED_HOST =
  /^(?:(?:your|my)-?(?:domain|site|company|website|business|email)|domain|domainname|example|address|company|website)\.[a-z.]{2,6}$/;
const SERVICE_HOST = /(?:^|\.)(?:sentry\.io|wixpress\.com|sentry-next\.wixpress\.com)$/;
