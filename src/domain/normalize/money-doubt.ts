import type { PrintedNumber } from './money-number.js';
import { PERIOD_BEHIND } from './salary-words.js';

/** An amount whose surroundings are to be judged. */
interface Judged {
  number: PrintedNumber;
  start: number;
  end: number;
  factor: { end: number } | null;
  mark: object | null;
}

/**
 * Does something stand right beside the digits that changes what they mean, and that we cannot read? A multiplier of
 * any language (`5 juta`), the other half of a split number (`12 99 €`, `12⁹⁹ €`, `49 zł 90 gr`), letters we do not know.
 */
export function isDoubtful(text: string, amount: Judged): boolean {
  const { number, start, mark } = amount;
  const behind = text.slice(number.end, number.end + REACH);
  const before = text.slice(Math.max(0, number.start - REACH), number.start);
  const isWhole = !/[.,٫] ?\d{1,2}$/.test(number.text);
  if (FRACTION_BEHIND.test(behind) || FRACTION_AHEAD.test(before)) return true;
  if (isWhole && (/^ \d/.test(behind) || /(?:^|[^\d.,٫])\d{1,9} $/.test(before))) return true;
  // A telephone number, and one of many payments.
  if (mark === null && (/\+$/.test(before) || /^0\d+$/.test(number.text))) return true;
  if (TIMES.test(text.slice(Math.max(0, start - REACH), start))) return true;
  return (
    isMultiplied(text, amount, before) || (mark !== null && hasTail(text, amount)) || isAheadOf(text, start, amount)
  );
}

/** How far beside an amount a word still belongs to it. */
const REACH = 24;

/** `12x R$ 99,90`, `2 x 500 €` */
const TIMES = /(?<![\d.,])\d{1,3} ?[x×] ?(?:(?:de|von|of|à|da) )?$/iu;

/** `12⁹⁹`, `1½`, `99:95`, `1,,5` */
const FRACTION_BEHIND = /^(?: ?\p{No}|[:.,'’]{1,3}\d|\^\d)/u;
const FRACTION_AHEAD = /\d[:.,'’/^]{1,3}$|\p{No}$/u;

/** Multipliers that are part of the number where nothing parts words: `1億2000万円`. */
const UNPARTED = '[千百万萬億亿兆천만억조백]|พัน|หมื่น|แสน|ล้าน';

/** Beginnings of words, whatever their ending, that mean a thousand or more in some language. */
const STEMS = [
  'mill[ioó]|miljo|miljar|milj|milio|milh|mily|millard|billi|trilli|trilj|thousand|hundred|tausend|duizend|tusen',
  'tusind|tisíc|tysi|tuhat|tuhan|tūkst|ezer|juta|ribu|triệu|trieu|nghìn|ngàn|lakh|crore|hezar|arab|elfu|libo',
  'миллио|милли|мільйо|мільярд|милион|милиард|тысяч|тисяч|хиляд|хиљад|χιλι|εκατ|δισ',
  'ألف|آلاف|الف|مليون|ملايين|مليار|هزار|میلیون|میلیارد|אלף|אלפי|מיליו|मिलियन|लाख|करोड|हज़ार|हजार',
].join('|');

/** Whole words and abbreviations that do. */
const LONG_WORDS =
  'mil|mila|mille|mie|mii|bin|miliar|miliard[yůów]{0,2}|mio|mln|mrd|mld|bln|bio|tsd|tys|tis|ths|tỷ|tỉ|млн|млрд|тыс|тис|хил|εκ';
const SHORT_WORDS = 'm|mm|mn|bn|tn|trn|tr|jt|rb|cr|crs|lac|lacs|mkr|tkr|eft|mft|χιλ';

const BEHIND_NUMBER = new RegExp(`^ ?(?:${UNPARTED}|${STEMS}|(?:${LONG_WORDS}|${SHORT_WORDS})(?!\\p{L}))`, 'iu');
const BEHIND_MARK = new RegExp(`^ ?(?:${UNPARTED}|${STEMS}|(?:${LONG_WORDS})(?!\\p{L}))`, 'iu');
const UNPARTED_AHEAD = new RegExp(`(?:${UNPARTED}) ?$`, 'u');

function isMultiplied(text: string, { number, end, factor }: Judged, before: string): boolean {
  const from = factor?.end ?? number.end;
  const behind = text.slice(from, from + REACH);
  if (BEHIND_NUMBER.test(behind) || (factor !== null && /^\d/.test(behind))) return true;
  return UNPARTED_AHEAD.test(before) || BEHIND_MARK.test(text.slice(end, end + REACH));
}

/** `€2.3B`, `1e5 €`; and the cents printed apart: `£1 50p`, `5 рублей 50 коп.` */
function hasTail(text: string, { number, end, factor }: Judged): boolean {
  const from = factor?.end ?? number.end;
  const behind = text.slice(from, from + REACH);
  // A mark right behind the digits is the end of the amount itself.
  const isMark = end > from && !/^\s/.test(behind);
  if (!isMark && /^\p{L}/u.test(behind) && !KNOWN_TAIL.test(behind) && !PERIOD_BEHIND.test(behind)) return true;
  return CENTS_BEHIND.test(text.slice(end, end + REACH));
}

const KNOWN_TAIL = /^(?:x|ea|each|pp|pcs|h|hr|hrs|to|bis)(?!\p{L})/iu;

const CENTS_BEHIND =
  /^\p{L}{0,6}\.?[ ,]{0,2}(?:(?:and|und|et|y|e|i|a|и|og|och) )?\d{1,2} ?(?:p|c|ct|cts?|cents?|gr|groszy|kop|коп|копе[а-я]{1,3}|к|hal|haléř|øre|öre|ore|bani|kuruş|krş|paise|paisa|sen|centimes?|centavos?|céntimos?|centesimi|rappen|rp|ст|стотинки|pence|¢|角|毛|分)(?![\p{L}\d])/iu;

/** `M€ 5`, `Mio. € 5`: a multiplier before the mark. */
function isAheadOf(text: string, start: number, { number }: Judged): boolean {
  return start < number.start && AHEAD.test(text.slice(Math.max(0, start - REACH), start));
}

const AHEAD = /(?<!\p{L})(?:[MKkTB]|(?:mio|mln|mrd|mld|tsd|tis|mil|million|millionen)\.? ?)$/iu;
