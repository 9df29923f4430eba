/** A date as a page gives it, as precise as it gives it. */
export interface PrintedDate {
  /** ISO 8601: `2024-03-05`, `2024-03-05T10:00`, `2024-03-05T10:00:00+01:00`. */
  iso: string;
  /** Epoch milliseconds; a day is its noon, and what has no zone is taken as UTC. */
  at: number;
  /** Hours by which `at` may be wrong, for want of a time or a zone. */
  vagueHours: number;
}

/** Only forms that leave no doubt: `05/03/2024` is two dates, and a month alone is none. */
export function readDate(text: string): PrintedDate | null {
  const printed = text.trim();
  if (printed.length > 60) return null;
  return fromParts(ISO.exec(printed) ?? COMPACT.exec(printed)) ?? fromNamedMonth(printed);
}

// Midnight is the beginning of a day: `24:00` would be the next one.
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>\\d{2})(?::(?<second>\\d{2}(?:[.,]\\d{1,9})?))?';
const ZONE = '(?:\\s?(?<zone>Z|UTC|GMT|[+-]\\d{2}:?\\d{2}|[+-]\\d{2}))?';
const ISO = new RegExp(`^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})(?:[T\\s]\\s?${TIME}${ZONE})?$`, 'i');
const COMPACT = /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/;

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const REST_OF_MONTH = 'uary ruary ch il  e y ust tember ober ember ember'.split(' ');
const namesOf = (month: string, rest: string): string => `${month}(?:${rest}${month === 'sep' ? '|t' : ''})?`;
const MONTH = `(?<name>${MONTHS.map((month, at) => namesOf(month, REST_OF_MONTH[at] ?? '')).join('|')})\\.?`;
const WEEKDAY = '(?:(?:(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?)\\.?,?\\s)?';
const AFTER = `(?:,?\\s(?:at\\s)?${TIME}${ZONE})?`;
const NAMED = [
  // `Tue, 05 Mar 2024 10:00:00 GMT`, `5 March 2024`
  new RegExp(`^${WEEKDAY}(?<day>\\d{1,2})\\s${MONTH}\\s(?<year>\\d{4})${AFTER}$`, 'i'),
  // `March 5, 2024`, `Tue Mar 05 2024 10:00:00 GMT+0100`
  new RegExp(`^${WEEKDAY}${MONTH}\\s(?<day>\\d{1,2}),?\\s(?<year>\\d{4})${AFTER}$`, 'i'),
];

function fromNamedMonth(text: string): PrintedDate | null {
  const plain = text.replace(/GMT(?=[+-])/, '').replace(/\s\([^()]{0,30}\)$/, '');
  for (const pattern of NAMED) {
    const match = pattern.exec(plain);
    const name = match?.groups?.name?.toLowerCase();
    if (name !== undefined) return fromParts(match, String(MONTHS.indexOf(name.slice(0, 3)) + 1).padStart(2, '0'));
  }
  return null;
}

function fromParts(match: RegExpExecArray | null, namedMonth?: string): PrintedDate | null {
  if (!match?.groups) return null;
  const { year, month = namedMonth, day, hour, minute, second, zone } = match.groups;
  const date = `${year}-${month}-${day?.padStart(2, '0')}`;
  if (hour === undefined) return printedDate(date, `${date}T12:00:00Z`, 26);
  const time = `${date}T${hour}:${minute}${second === undefined ? '' : `:${second.replace(',', '.')}`}`;
  const offset = zone === undefined ? null : printZone(zone);
  return offset === null ? printedDate(time, `${time}Z`, 14) : printedDate(`${time}${offset}`, `${time}${offset}`, 0);
}

function printZone(zone: string): string {
  if (/^[a-z]/i.test(zone)) return 'Z';
  const digits = zone.replace(':', '').padEnd(5, '0');
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

/** Parsing wraps what the calendar does not have (`02-30`), so the day must still be the one that was printed. */
function printedDate(iso: string, instant: string, vagueHours: number): PrintedDate | null {
  const at = Date.parse(instant);
  const day = Date.parse(`${iso.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(at) || Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== iso.slice(0, 10))
    return null;
  return { iso, at, vagueHours };
}
