import { domainOfHost } from '../domain/registrable-domain.js';
import type { AddressBlock } from './readers/address-blocks.js';
import { CREDIT } from './readers/copyright.js';
import { type FoundEmail, readEmails } from './readers/emails.js';
import type { PageReader } from './readers/page-reader.js';
import type { Site } from './site-owner.js';

/** The address a stranger should write to, of all that the page shows. */
export function contactEmail(reader: PageReader, site: Site, seat: AddressBlock | null): FoundEmail | null {
  const each = new Map<string, Doors>();
  for (const email of readEmails(reader)) {
    const key = email.address.toLowerCase();
    if (isFilling(key) || CREDIT.test(email.context) || isCertified(email)) continue;
    const known = each.get(key);
    if (known) known.lines.push(email.line);
    else each.set(key, { email, lines: [email.line] });
  }
  const all = [...each.values()];
  const own = all.filter(({ email }) => site.owns(hostOf(email.address)));
  if (own.length > 0) return frontDoor(own, seat);
  // Of strangers no back door: a lawyer's or a printer's would be one.
  const others = ofOneHouse(all, site).filter(({ email }) => site.label === null || !BACK_DOOR.test(email.address));
  return frontDoor(others, seat);
}

/** An address, and all the lines it stands in. */
interface Doors {
  email: FoundEmail;
  lines: (number | null)[];
}

export const hostOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/**
 * Addresses elsewhere are the company's only where all of one house stand alone: beside others they may be a partner's
 * or the printer's. Where nobody knows the site's own domain, the house with most of them is its own. A free mailbox is
 * no house, but the second address of whoever has the first.
 */
function ofOneHouse(emails: readonly Doors[], site: Site): Doors[] {
  const houses = new Map<string, Doors[]>();
  for (const door of emails) {
    const house = domainOfHost(hostOf(door.email.address));
    houses.set(house, [...(houses.get(house) ?? []), door].slice(0, 100));
  }
  if (houses.size <= 1) return [...emails];
  const rented = [...houses].filter(([house]) => !FREE_MAIL.test(house));
  if (rented.length === 1) return rented[0]?.[1] ?? [];
  if (site.label !== null) return [];
  const [largest = [], second = []] = [...houses.values()].sort((a, b) => b.length - a.length);
  return largest.length > second.length ? largest : [];
}

/** A door for everybody, else for customers, else the only one there is, else the one at the seat. */
function frontDoor(doors: readonly Doors[], seat: AddressBlock | null): FoundEmail | null {
  const first = (words: RegExp) => doors.find(({ email }) => words.test(email.address));
  const door = first(EVERYBODY) ?? first(CUSTOMERS);
  if (door) return door.email;
  const plain = doors.filter(({ email }) => !BACK_DOOR.test(email.address));
  const main = plain.filter(({ email }) => !SIDE_DOOR.test(email.address));
  for (const some of [main, plain, doors]) {
    const [only = null, ...others] = some;
    if (only !== null) return others.length === 0 ? only.email : atSeat(some, seat);
  }
  return null;
}

/** The only one right below the company's own address: the others are of branches and people. */
function atSeat(doors: readonly Doors[], seat: AddressBlock | null): FoundEmail | null {
  if (seat === null) return null;
  const near = doors.filter(({ lines }) =>
    lines.some((line) => line !== null && line >= seat.firstLine && line <= seat.lastLine + BELOW_SEAT),
  );
  return near.length === 1 ? (near[0]?.email ?? null) : null;
}

const BELOW_SEAT = 4;

const EVERYBODY =
  /^(?:info\w{0,6}|information|contact(?:us|-us|o|os)?|contatti?|contato|kontakt|hello|hi|hiya|hey|howdy|hallo|hola|ola|ahoj|bonjour|salut|ciao|hej|hei|hejhej|moi|moin|servus|grüezi|gruezi|czesc|dobryden|szia|merhaba|aloha|office|mail|e?mailus|email|enquir(?:y|ies)|inquir(?:y|ies)|general|reception|secretariat|sekretariat|secretary|biuro|firma|welcome|post|posta|poststelle|team|hq|headoffice|frontdesk|ask|connect|talk|accueil|kontor|zentrale|contacto|contactus|correo|courriel|mairie|kanzlei|praxis|ordination|empfang|rezeption|recepce|recepcja|recepcion|recepção|segreteria|secretaria|secretaire|bureau|buero|büro|kancelaria|kancelar|sekretariat|toimisto|asiakaspalvelu|kundeservice|kundservice|klantenservice|titkarsag|iroda|enquire|inquire|generalenquiries|guestservices)@/i;
const CUSTOMERS =
  /^(?:sales|support|customer[._-]?(?:service|care|support)|service|services|help|helpdesk|podpora|obchod|verkauf|vertrieb|vendas|ventas|commercial|comercial|geral|orders?|bookings?|reservations?|reservas?|shop|store|studio|admin|administration|prodej|sklep|vendite|verkoop|myynti|salg|forsaljning|handel|zakaznik|zamowienia|bestellung|commande|prenotazioni|reservierung|boka|booking)@/i;
const BACK_DOOR =
  /^(?:webmaster|postmaster|hostmaster|abuse|no-?reply|donotreply|jobs?|careers?|career|hr|hrdept|recruit\w*|resumes?|cv|press|media|legal|billing|accounts?|accounting|invoices?|marketing|unsubscribe|newsletter|feedback|advertising|ads|webadmin|sysadmin|technik|it|edv|redaktion|redazione|presse|prensa|stampa|bewerbung|karriere|personal|rekrytering|lavoro|empleo|emploi|recrutement|faktura|fakturor|fakturace|rechnung|rechnungen|buchhaltung|invoice|compta|comptabilite|facturacion|facturas|amministrazione|contabilita|ksiegowosc|uctarna|administratie|facturen|payroll|payables|ap|ar|compliance|security|investors?|ir|tenders?|procurement)@/i;
/** For one occasion only. */
const SIDE_DOOR =
  /^(?:events?|functions?|weddings?|hochzeit|parties|party|catering|groups?|gruppen|private[._-]?(?:dining|hire|events)|donate|donations?|giving|volunteers?|membership|members|warranty|returns|parts|rma|emergency|notdienst|wholesale|trade|dealers?|export|partners?|school|training|academy|alumni|claims|complaints|lettings|rentals?|workshop|werkstatt|lager)@/i;

/** Letters to it are registered ones: Italian law gives every firm such a box, and nobody asks a question there. */
const isCertified = ({ address, context }: FoundEmail): boolean =>
  /\bpec\b[^\p{L}]{0,4}$/iu.test(context.replace(address, '').trimEnd()) ||
  /(?:^|[@.-])(?:pec|legalmail|arubapec|postecert|certimail|casellapec|pecimprese)\./.test(hostOf(address));

/** Who has no domain of his own writes from one of these. */
export const FREE_MAIL =
  /^(?:gmail|googlemail|yahoo|hotmail|outlook|live|msn|aol|icloud|me|mac|comcast|verizon|att|sbcglobal|bellsouth|earthlink|cox|charter|btinternet|btconnect|ntlworld|virginmedia|sky|talktalk|tiscali|bigpond|optusnet|shaw|telus|rogers|sympatico|web|gmx|t-online|freenet|orange|wanadoo|free|laposte|sfr|libero|alice|virgilio|sapo|seznam|centrum|wp|onet|o2|interia|mail|protonmail|zoho|ymail|rocketmail|rediffmail|hushmail|fastmail|tutanota|yandex|email|post|volny|atlas|iinet|xtra|eircom|bluewin|telenet|skynet|telefonica|terra|uol|bol)\./;

/** What templates and forms print where an address should stand; takes lower case. */
const isFilling = (address: string): boolean =>
  FILLED_NAME.test(address) ||
  SPOILED.test(address) ||
  DATA_OFFICER.test(address) ||
  FILLED_HOST.test(hostOf(address)) ||
  SERVICE_HOST.test(hostOf(address));

const FILLED_NAME =
  /^(?:you|your|your[._-]?(?:name|e?mail|address)|name|user(?:name)?|first[._-]?name(?:[._-]?last[._-]?name)?|first[._-]last|john[._-]?(?:doe|smith)|jane[._-]?doe|someone|somebody|xxx+|test|no-?reply|donotreply|do-not-reply|example)@/;
// People take a word out of it before they write; we do not know which.
const SPOILED = /no-?_?spam|(?:remove|delete|without|take)[._-]?(?:this|me|caps|out)/;
// Every site must name one, and nobody should write there about anything else.
const DATA_OFFICER =
  /^(?:dpo|privacy|gdpr|rodo|iod|datenschutz|dataprotection|data-protection|ochronadanych|privacidad|privacidade)@/;
const FILLED_HOST =
  /^(?:(?:your|my)-?(?:domain|site|company|website|business|email)|domain|domainname|example|address|company|website)\.[a-z.]{2,6}$/;
const SERVICE_HOST = /(?:^|\.)(?:sentry\.io|wixpress\.com|sentry-next\.wixpress\.com)$/;
