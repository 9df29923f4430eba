import { CREDIT } from './copyright.js';

/** What the words beside a number say that it is. */
export type PhoneLabel = 'phone' | 'fax' | 'mobile' | 'toll-free' | 'urgent' | 'person' | 'desk' | 'other';

const PHONE =
  'telephones?|telefones?|telefono|teléfonos?|téléphone|telefon|telefoon|telephon|tél|tel|tlf|tfn|puhelin|puh|phones?|phone/fax|tel/fax|ph|fon|call(?: us)?|ring|dial|voice|office|main|direct|hotline|helpline|landline|local|switchboard|reservations?|bookings?|enquiries|inquiries|reception|tel[ée]fono|tfno|telf|teléf|fone|ordination|praxis|kanzlei|zentrale|rezeption|sekretari[aá]t|secretariat|secrétariat|büro|bureau|standard téléphonique|accueil|centralino|ufficio|segreteria|oficina|centralita|escritório|kantoor|kontor|växel|ústředna|kancelář|recepce|recepcja|biuro|toimisto|vaihde|тел|телефон|τηλ|電話|电话';
const MOBILE =
  'mobile|mobil|mob|cell|cellphone|handy|móvil|telemóvel|gsm|whatsapp|text|sms|portable|natel|cellulare|celular|matkapuhelin|komórka|mobilní(?: telefon)?|mobiltelefon';
const FAX = 'telefax|téléfax|facsimile|faks|faxe|fax|факс|φαξ|传真';
const FREE = 'toll[ -]?free|freephone|free ?call|freecall';
// Numbers of papers, accounts, products and places.
const OTHER =
  'vat|ust-?idnr|tax|abn|acn|ein|tin|nif|nip|regon|krs|siret|siren|rcs|i[cč]o?|di[cč]|hrb|kvk|cvr|company|companies|charity|reg|registered|registration|licen[cs]e|lic|permit|account|konto|iban|bic|swift|sort code|isbn|issn|order|part|model|item|sku|serial|ref|case|id|npi|mls|duns|policy|invoice|p\\.? ?iva|c\\.? ?f|cif|cnpj|rea|uid|mwst|btw|tva|moms|org\\.? ?nr|orgnr|gstin|cin|pan|npo|pbo|y-tunnus|bank|branch code|giro';

/** A label, what may stand between it and its number, and the number. */
const BEFORE = new RegExp(
  String.raw`(?:^|[^\p{L}\d])(?:(${FREE})|(${FAX})|(${MOBILE})|(${PHONE})|(${OTHER}))(?=[^\p{L}])[^\p{L}\d]{0,6}(?:(?:us|our|on|at|me|now|today|is|no|nr|number|numbers|line|toll|free|direct|office|or|text|anytime|today|for \p{L}{3,15})(?=[^\p{L}])[^\p{L}\d]{0,4}){0,4}$`,
  'iu',
);
/** `Call Bella at …`, `reach our office on …` */
const SPOKEN = /\b(?:call|phone|ring|reach|contact|telephone)((?:\s[\p{L}'’]{1,15}){1,4})\s(?:at|on)\W{0,3}$/iu;
const NAMED = /^\s(?!(?:Us|Our|The|Me|Now|Today)\b)\p{Lu}\p{Ll}/u;
/** For what cannot wait; whoever wants anything else should not ring there. */
const URGENT =
  /\b(?:emergenc(?:y|ies)|urgent|after[ -]?hours|out of hours|not(?:fall|dienst|ruf)\w*|bereitschaft\w*|störung\w*|pikett\w*|urgences?|astreinte|urgencias?|emergencias?|emergenza|emergenze|pronto intervento|reperibilità|urgências?|spoed\w*|storingsdienst|havarijní|pohotovost|nouzov\p{L}+|dyżur\p{L}*|awari\p{L}*|jour(?:nummer|telefon)|akut\w*|vakt(?:telefon)?|päivystys|døgnvagt)/iu;
/** For customers with a question; strangers ring the house. */
const DESK = /\b(?:support|hot-?line|helpline|help ?desk|service ?desk|technical|assistance|assistenza|soporte)\b/iu;
const LETTER = /(?:^|[\s|•·◊,;:/(])([TPFMCDtpfmc])\s?[.:)|]{0,2}\s{0,2}$/;
const AFTER = new RegExp(
  String.raw`^\s?(?:[([]\s?(?:(${FREE})|(${FAX})|(${MOBILE})|(${PHONE}))[^)\]]{0,25}[)\]]|[\u2010-\u2015-]?\s?(?:(${FREE})|(${FAX})|(${MOBILE})|(${PHONE}))\s{0,2}(?=$|[|,;•·]))`,
  'iu',
);

export function labelOf(line: string, { start, end }: { start: number; end: number }): PhoneLabel | null {
  const before = line.slice(Math.max(0, start - 60), start);
  const after = AFTER.exec(line.slice(end, end + 40));
  if (after) {
    const [, free, fax, mobile, phone, free2, fax2, mobile2, phone2] = after;
    return kindOf([free ?? free2, fax ?? fax2, mobile ?? mobile2, phone ?? phone2]);
  }
  if (CREDIT.test(before)) return 'other';
  if (isUrgent(before)) return 'urgent';
  if (DESK.test(saidOf(before))) return 'desk';
  const spoken = SPOKEN.exec(before)?.[1];
  if (spoken !== undefined) return NAMED.test(spoken) ? 'person' : 'phone';
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

/** Only what is said of this number: a bar, or another number, begins anew. */
const saidOf = (before: string): string => before.split(/[|•·;]|\d{4}/).at(-1) ?? '';

export const isUrgent = (before: string): boolean => URGENT.test(saidOf(before));

const LETTERS: Record<string, PhoneLabel> = { T: 'phone', P: 'phone', D: 'phone', F: 'fax', M: 'mobile', C: 'mobile' };

function kindOf(words: readonly (string | undefined)[]): PhoneLabel | null {
  const kinds = ['toll-free', 'fax', 'mobile', 'phone', 'other'] as const;
  return kinds[words.findIndex((word) => word !== undefined)] ?? null;
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
