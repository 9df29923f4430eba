import { digitsOf } from '../../domain/normalize/contact.js';

/** What the words beside a number say that it is. */
export type PhoneLabel = 'phone' | 'fax' | 'mobile' | 'toll-free' | 'other';

export interface WrittenPhone {
  /** As printed, without its label. */
  printed: string;
  start: number;
  end: number;
  label: PhoneLabel | null;
}

/** The phone numbers in a line of text, in order. Without a label only what can hardly be anything else. */
export function phonesIn(text: string): WrittenPhone[] {
  if (!/\d/.test(text)) return [];
  const line = text.slice(0, MAX_LINE);
  const found: WrittenPhone[] = [];
  for (const { pattern, isPlain } of SHAPES) {
    for (const match of line.matchAll(pattern)) {
      const span = { start: match.index, end: match.index + match[0].length };
      if (isPhoneLike(match[0]) && !found.some((known) => overlap(known, span))) {
        const label = labelOf(line, span);
        if (isPlain || (label !== null && label !== 'other')) found.push({ printed: match[0].trim(), ...span, label });
      }
    }
  }
  found.sort((a, b) => a.start - b.start);
  return inherited(found, line);
}

const MAX_LINE = 1_000;

const EXT = String.raw`(?:,?\s?(?:ext|extension|x)[\s.:]{0,2}\d{1,5})?`;

/** Those that stand first are surer; `isPlain` means that the shape alone says what it is. */
const SHAPES: readonly { pattern: RegExp; isPlain: boolean }[] = [
  // +44 (0)20 7946 0123, (+420) 601 234 567, 0049 89 123456
  {
    pattern: new RegExp(
      String.raw`(?<![\d+])(?:\(\s?\+\s?\d{1,3}\s?\)|\+\s?\d{1,3}|00[1-9]\d{0,2}(?=[\s(./-]))[\s./-]{0,3}(?:\(\s?\d{1,5}\s?\)[\s./-]{0,3})?\d{1,12}(?:[\s./\u2010-\u2015-]{1,3}\d{1,8}){0,6}(?!\d)${EXT}`,
      'gi',
    ),
    isPlain: true,
  },
  // (212) 555-0123, 1-800-555-0123, 212.555.0123
  {
    pattern: new RegExp(
      String.raw`(?<![\d.,/-])(?:1[\s./-]{1,2})?(?:\([2-9]\d{2}\)[\s./-]{0,3}[2-9]\d{2}[\s.\u2010-\u2015-]{0,3}|[2-9]\d{2}(?:\s[\u2010-\u2015-]\s|[\s./\u2010-\u2015-]{1,2})[2-9]\d{2}(?:\s[\u2010-\u2015-]\s|[\s.\u2010-\u2015-]{1,2}))\d{4}(?![\d])${EXT}`,
      'gi',
    ),
    isPlain: true,
  },
  // 01632 960123, (02) 5550 1234, 01 99 00 12 34, 030 / 123 456-78
  {
    pattern:
      /(?<![\d.,/+-]|\d[\s:])(?:\(0\d{1,5}\)[\s./\u2010-\u2015-]{0,3}|0\d{1,5}(?:\s?[/\u2010-\u2015-]\s?|[\s.]{1,2}))\d{2,8}(?:[\s./\u2010-\u2015-]{1,2}\d{2,6}){0,4}(?:[\u2010-\u2015-]\d)?(?!\d)/g,
    isPlain: true,
  },
  // 1300 123 456
  { pattern: /(?<![\d.,/+-])1[38]00[\s-]\d{3}[\s-]\d{3}(?!\d)/g, isPlain: true },
  // Whatever is said to be one: 555-0123, 601 234 567, 01632960123, ( 33 1) 99 00 12 34
  { pattern: /(?<![\d+])(?:\(\s?\d[\d\s]{0,6}\)|\d)[\d\s./()\u2010-\u2015-]{3,20}\d(?!\d|-\p{L})/gu, isPlain: false },
];

function isPhoneLike(printed: string): boolean {
  const count = digitsOf(printed).length;
  if (count < 6 || count > 17) return false;
  if (/^0\d/.test(printed) && (count < 9 || count > 13)) return false;
  return !NOT_A_PHONE.test(printed.trim()) && !FILLING.test(digitsOf(printed));
}

// What templates and forms print where a number should stand.
const FILLING = /^1?(\d)\1{6,}$|123456789|^(?:555)?5551212$/;

// Dates, times of day, spans of years, and American postal codes of nine digits.
const NOT_A_PHONE =
  /^\d{1,2}[./-]\d{1,2}[./-]\d{4}|^\d{4}[./-]\d{1,2}[./-]\d{1,2}|^\d{1,2}\.\d{2}\s?[\u2010-\u2015-]|^(?:19|20)\d{2}\s?[\u2010-\u2015/-]\s?(?:19|20)\d{2}$|^\d{5}-\d{4}$/;

const overlap = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && b.start < a.end;

const PHONE =
  'telephones?|telefones?|telefono|teléfonos?|téléphone|telefon|telefoon|telephon|tél|tel|tlf|tfn|puhelin|puh|phones?|phone/fax|tel/fax|ph|fon|call(?: us)?|ring|dial|voice|office|main|direct|hotline|helpline|landline|local|switchboard|reservations?|bookings?|enquiries|inquiries|reception|tel[ée]fono|тел|телефон|τηλ|電話|电话';
const MOBILE = 'mobile|mobil|mob|cell|cellphone|handy|móvil|telemóvel|gsm|whatsapp|text|sms';
const FAX = 'telefax|téléfax|facsimile|faks|fax';
const FREE = 'toll[ -]?free|freephone|free ?call|freecall';
// Numbers of papers, accounts, products and places.
const OTHER =
  'vat|ust-?idnr|tax|abn|acn|ein|tin|nif|nip|regon|krs|siret|siren|rcs|i[cč]o?|di[cč]|hrb|kvk|cvr|company|companies|charity|reg|registered|registration|licen[cs]e|lic|permit|account|konto|iban|bic|swift|sort code|isbn|issn|order|part|model|item|sku|serial|ref|case|id|npi|mls|duns|policy|invoice';

/** A label, what may stand between it and its number, and the number. */
const BEFORE = new RegExp(
  String.raw`(?:^|[^\p{L}\d])(?:(${FREE})|(${FAX})|(${MOBILE})|(${PHONE})|(${OTHER}))(?=[^\p{L}])[^\p{L}\d]{0,6}(?:(?:us|our|on|at|me|now|today|is|no|nr|number|numbers|line|toll|free|direct|office|or|text|anytime|today|for \p{L}{3,15})(?=[^\p{L}])[^\p{L}\d]{0,4}){0,4}$`,
  'iu',
);
/** `Call Bella at …`, `reach our office on …` */
const SPOKEN = /\b(?:call|phone|ring|reach|contact|telephone)(?:\s[\p{L}'’]{1,15}){1,4}\s(?:at|on)\W{0,3}$/iu;
const LETTER = /(?:^|[\s|•·◊,;:/(])([TPFMCDtpfmc])\s?[.:)|]{0,2}\s{0,2}$/;
const AFTER = new RegExp(
  String.raw`^\s?(?:[([]\s?(?:(${FREE})|(${FAX})|(${MOBILE})|(${PHONE}))[^)\]]{0,25}[)\]]|[\u2010-\u2015-]?\s?(?:(${FREE})|(${FAX})|(${MOBILE})|(${PHONE}))\s{0,2}(?=$|[|,;•·]))`,
  'iu',
);

function labelOf(line: string, { start, end }: { start: number; end: number }): PhoneLabel | null {
  const before = line.slice(Math.max(0, start - 60), start);
  const after = AFTER.exec(line.slice(end, end + 40));
  if (after) {
    const [, free, fax, mobile, phone, free2, fax2, mobile2, phone2] = after;
    return kindOf([free ?? free2, fax ?? fax2, mobile ?? mobile2, phone ?? phone2]);
  }
  if (SPOKEN.test(before)) return 'phone';
  if (/[☎✆📞📱]\s?\p{P}?\s?$/u.test(before)) return 'phone';
  const [, free, fax, mobile, phone, other] = BEFORE.exec(before) ?? [];
  if (free || fax || mobile || phone || other) {
    const isBoth =
      fax !== undefined && /(?:tel|phone|ph)\.?\s?(?:&|\/|and|\+)\s?$/i.test(before.slice(0, before.lastIndexOf(fax)));
    return isBoth ? 'phone' : kindOf([free, fax, mobile, phone, other]);
  }
  const letter = LETTER.exec(before)?.[1]?.toUpperCase();
  return letter === undefined ? null : (LETTERS[letter] ?? null);
}

const LETTERS: Record<string, PhoneLabel> = { T: 'phone', P: 'phone', D: 'phone', F: 'fax', M: 'mobile', C: 'mobile' };

function kindOf(words: readonly (string | undefined)[]): PhoneLabel | null {
  const kinds = ['toll-free', 'fax', 'mobile', 'phone', 'other'] as const;
  return kinds[words.findIndex((word) => word !== undefined)] ?? null;
}

/** `Fax: 555 0100 / 555 0101`: a label speaks for the next number too, where only a comma or a slash stands between. */
function inherited(found: WrittenPhone[], line: string): WrittenPhone[] {
  return found.map((phone, at) => {
    const previous = found[at - 1];
    if (phone.label !== null || !previous) return phone;
    const between = line.slice(previous.end, phone.start);
    return /^\s{0,2}(?:[,/&;]|or|and|und|y|e|et)\s{0,2}$/i.test(between) ? { ...phone, label: previous.label } : phone;
  });
}

const BARE = new RegExp(
  String.raw`^[^\p{L}\d]{0,3}(?:(${FREE})|(${FAX})|(${MOBILE})|(${PHONE}))(?:\s(?:us|number|no|nr|line|phone|sales|now|today))?[^\p{L}\d]{0,4}$`,
  'iu',
);

/** A line that is nothing but the name of a number: `Telephone:` */
export function bareLabel(text: string): PhoneLabel | null {
  if (text.length > 30) return null;
  const letter = /^([TPFMC])\s?[.:]?$/.exec(text)?.[1];
  if (letter) return LETTERS[letter] ?? null;
  const [, free, fax, mobile, phone] = BARE.exec(text) ?? [];
  return kindOf([free, fax, mobile, phone]);
}
