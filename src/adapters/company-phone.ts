import { digitsOf, isTollFree } from '../domain/normalize/contact.js';
import type { AddressBlock } from './readers/address-blocks.js';
import type { PageReader } from './readers/page-reader.js';
import { type FoundPhone, readPhones } from './readers/phones.js';

/** The number a stranger should call. What is called a fax, or a number of something else, is none. */
export function contactPhone(reader: PageReader, seat: AddressBlock | null): FoundPhone | null {
  const all = readPhones(reader);
  const barred = new Set(all.filter(({ label }) => label === 'fax' || label === 'other').map(keyOf));
  const lines = linesOf(
    all.filter((phone) => !barred.has(keyOf(phone))),
    seat,
  );
  const [best] = lines.sort((a, b) => b.weight - a.weight);
  // The only number of a page needs less to be believed.
  return best && best.weight >= (lines.length === 1 ? LITTLE : ENOUGH) ? best.phone : null;
}

const ENOUGH = 1.5;
const LITTLE = 0;
const keyOf = ({ printed }: FoundPhone): string => digitsOf(printed).slice(-7);

interface Weighed {
  /** The way it is best shown. */
  phone: FoundPhone;
  weight: number;
  times: number;
}

/** The same number in several places is one, as sure as its best place and a little surer for each other. */
function linesOf(numbers: readonly FoundPhone[], seat: AddressBlock | null): Weighed[] {
  const lines = new Map<string, Weighed>();
  for (const phone of numbers) {
    const weight = weightOf(phone, seat);
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

function weightOf(phone: FoundPhone, seat: AddressBlock | null): number {
  let weight = phone.source === 'link' ? 2.5 : 0;
  if (phone.label === 'phone') weight += 3;
  if (phone.label === 'mobile') weight += 2;
  if (phone.label === 'toll-free') weight += 3;
  if (phone.label === 'toll-free' || isTollFree(phone.printed)) weight -= 1;
  if (phone.region === 'head' || phone.region === 'foot') weight += 1;
  if (phone.besides <= STANDS_ALONE) weight += 1;
  if (phone.besides > PROSE) weight -= 1;
  return weight + (seat === null ? 0 : nearness(phone, seat));
}

const STANDS_ALONE = 40;
const PROSE = 200;

/** Numbers stand below their address, less often above it. */
function nearness({ line }: FoundPhone, { firstLine, lastLine }: AddressBlock): number {
  if (line === null) return 0;
  if (line >= firstLine && line <= lastLine + 6) return 2;
  return line >= firstLine - 4 && line < firstLine ? 1 : 0;
}
