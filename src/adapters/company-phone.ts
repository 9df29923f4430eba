import { digitsOf, isTollFree } from '../domain/normalize/contact.js';
import type { AddressBlock } from './readers/address-blocks.js';
import type { Line } from './readers/lines.js';
import type { PageReader } from './readers/page-reader.js';
import { type FoundPhone, readPhones } from './readers/phones.js';
import type { PhoneLabel } from './readers/phones-labels.js';

/** The number a stranger should call. What is called a fax, or a number of something else, is none. */
export function contactPhone(reader: PageReader, seat: AddressBlock | null): FoundPhone | null {
  const all = readPhones(reader);
  const barred = new Set(all.filter(({ label }) => label === 'fax' || label === 'other').map(keyOf));
  const lines = linesOf(
    all.filter((phone) => !barred.has(keyOf(phone))),
    { seat, page: reader.lines },
  );
  const [best] = lines.sort((a, b) => b.weight - a.weight);
  if (!best) return null;
  // The only number of a page needs less to be believed, even if it is the one for burst pipes at night.
  const little = best.phone.label === 'urgent' ? BY_LABEL.urgent + 1 : LITTLE;
  return best.weight >= (lines.length === 1 ? little : ENOUGH) ? best.phone : null;
}

const ENOUGH = 1.5;
const LITTLE = 0;
const keyOf = ({ printed }: FoundPhone): string => digitsOf(printed).slice(-7);

interface Around {
  seat: AddressBlock | null;
  page: readonly Line[];
}

interface Weighed {
  /** The way it is best shown. */
  phone: FoundPhone;
  weight: number;
  times: number;
}

/** The same number in several places is one, as sure as its best place and a little surer for each other. */
function linesOf(numbers: readonly FoundPhone[], around: Around): Weighed[] {
  const lines = new Map<string, Weighed>();
  for (const phone of numbers) {
    const weight = weightOf(phone, around);
    const known = lines.get(keyOf(phone));
    if (!known) {
      lines.set(keyOf(phone), { phone, weight, times: 1 });
      continue;
    }
    if (known.times < 3) known.weight = Math.max(known.weight, weight) + 0.5;
    known.times += 1;
    if (known.phone.source === 'text' && phone.label === 'phone' && known.phone.label !== 'phone') known.phone = phone;
  }
  return [...lines.values()];
}

function weightOf(phone: FoundPhone, { seat, page }: Around): number {
  let weight = (phone.source === 'link' ? 2.5 : 0) + (phone.label === null ? 0 : BY_LABEL[phone.label]);
  if (phone.label !== 'toll-free' && isTollFree(phone.printed)) weight -= 1;
  if (phone.region === 'head' || phone.region === 'foot') weight += 1;
  else if (isAtTop(phone)) weight += 0.4;
  if (phone.besides <= STANDS_ALONE) weight += 1;
  if (phone.besides > PROSE) weight -= 1;
  // Who gives both ways in one line means to be reached.
  if (phone.line !== null && phone.besides <= PROSE && page[phone.line]?.text.includes('@')) weight += 1;
  return weight + (seat === null ? 0 : nearness(phone, seat, page));
}

const BY_LABEL: Record<PhoneLabel, number> = {
  phone: 3,
  mobile: 2,
  'toll-free': 2,
  person: 1,
  desk: 1.5,
  // Never while there is another.
  urgent: -4,
  fax: 0,
  other: 0,
};

const STANDS_ALONE = 40;
const PROSE = 200;
const TOP_LINES = 6;

const isAtTop = ({ line }: FoundPhone): boolean => line !== null && line < TOP_LINES;

/** Numbers stand below their address, less often above it; what another heading parts from it is another's. */
function nearness({ line, label }: FoundPhone, { firstLine, lastLine }: AddressBlock, page: readonly Line[]): number {
  if (line === null || label === 'person') return 0;
  if (line >= firstLine && line <= lastLine + 6) return isParted(page, lastLine + 1, line) ? 0 : 2;
  return line >= firstLine - 4 && line < firstLine ? 1 : 0;
}

const isParted = (page: readonly Line[], from: number, to: number): boolean =>
  page.slice(from, to).some(({ block, text }) => /^h[1-6]$/.test(block?.name ?? '') && !OF_CONTACT.test(text));

const OF_CONTACT =
  /\b(?:contact|kontakt|contatt|contato|phone|tel|telefon|téléphone|teléfono|telefono|call|reach|touch|talk|fax|e-?mail|hours|öffnungszeiten|horaires|horario|orari|openingstijden|otevírací|godziny|address|location)/i;
