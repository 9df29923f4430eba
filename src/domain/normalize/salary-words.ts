import type { Salary } from '../records.js';

export type SalaryPeriod = NonNullable<Salary['period']>;

/** Words that say by themselves what one payment is for. */
const ADVERBS: Readonly<Record<SalaryPeriod, string>> = {
  HOUR: 'hourly|p\\.?h|stündlich|stundenlohn|horaire|uurloon|hodinově|óránként|godzinowo|時給|시급',
  DAY: 'daily|p\\.?d|täglich|tagessatz|denně|dziennie|journalier|日給|일급',
  WEEK: 'weekly|p\\.?w|wöchentlich|týdně|tygodniowo|hebdomadaire|週給|주급',
  MONTH:
    'monthly|p\\.?c\\.?m|p\\.m|monatlich|monatsgehalt|mtl|mensuels?|mensuelle|mensual|mensuales|mensal|mensile|mensili|' +
    'mensuali|maandelijks|měsíčně|mesačne|miesięcznie|havonta|havi|lunar|ежемесячно|щомісяця|aylık|月給|月薪|월급',
  YEAR:
    'yearly|annum|annual|annually|annualized|p\\.?a|p/a|lpa|jährlich|jahresgehalt|annuels?|annuelle|anual|anuales|annui|' +
    'annuo|annua|annual[ei]|jaarlijks|ročně|ročne|rocznie|évente|yıllık|年収|年俸|年薪|연봉',
};

/** Words that do so only behind `per`, `/`, `a` and their like: `12 months` is a term, `/ month` is a period. */
const NOUNS: Readonly<Record<SalaryPeriod, string>> = {
  HOUR:
    'hour|hr|h|stunde|std|heure|hora|hodin[auy]|hod|godz|godzinę|godzina|ora|uur|timme|tim|time|timen|óra|час|година|' +
    '時間|小时',
  DAY: 'day|tag|jour|día|dia|den|dzień|giorno|dag|dagen|nap|день|日',
  WEEK: 'week|wk|woche|semaine|semana|týden|tydzień|settimana|vecka|uge|hét|неделю|週',
  MONTH:
    'month|calendar month|mth|mo|monat|mon|mois|mes|mês|mese|maand|mnd|månad|månaden|mån|måned|md|měsíc|mesiac|miesiąc|' +
    'mies|mc|hó|hónap|lună|месяц|мес|місяць|міс|ay|月|kk|kuukausi',
  YEAR: 'year|yr|jahr|an|année|año|ano|anno|jaar|år|året|rok|év|год|рік|yıl|年|vuosi',
};

const LINK =
  '(?:(?<!\\p{L})(?:per|pr\\.?|pro|par|por|al|a|an|ao|each|every|je|im|i|om|za|na|w|v|в|за|на|la|p)(?: ?/ ?|[ .]{1,2})|' +
  "(?<!\\p{L})(?:all|à l)['’]|/ ?)";

const PERIODS = (Object.keys(ADVERBS) as SalaryPeriod[]).map((period): [SalaryPeriod, string] => [
  period,
  `(?<![\\p{L}\\d])(?:${ADVERBS[period]})(?!\\p{L})|${LINK}(?:${NOUNS[period]})(?!\\p{L})`,
]);
const SEARCHES = PERIODS.map(([period, words]): [SalaryPeriod, RegExp] => [period, new RegExp(words, 'iu')]);

/** The one period a text names; `null` where it names none, or two. */
export function printedPeriod(text: string): SalaryPeriod | null {
  if (OTHER_PERIOD.test(text)) return null;
  const found = SEARCHES.filter(([, words]) => words.test(text));
  return found.length === 1 ? (found[0]?.[0] ?? null) : null;
}

/** How often it is paid, which is not what it is paid for, or a period between those we know. */
const OTHER_PERIOD = new RegExp(
  `(?<!\\p{L})(?:${[
    '(?:bi|semi|tri|half|halb|zwei)[- ]?(?:week|month|annual|year|hour|dai|wöch|monat|jähr)\\p{L}*',
    'fortnight\\p{L}*|quincenal\\p{L}*|quinzenal\\p{L}*|quarter\\p{L}*|vierteljähr\\p{L}*|trimestr\\p{L}*',
    '(?:once|twice|thrice|zweimal|dreimal|deux fois|dos veces|due volte|duas vezes|dwa razy|dvakrát)',
    '\\d{1,2} ?(?:x|×|times|mal|fois|veces|volte|krát|razy|keer|payments|pagas|mensualités|mensilità)',
    '(?:every|alle|each|toutes les|cada) (?:two|2|other|second|zwei|deux|dos|4|four|three|3)',
    'pay ?(?:period|check|cheque)|paid|payable|payments?|ausbezahlt|ausgezahlt|auszahlung|payé|pagadero|wypłacane|wypłata|vyplácen\\p{L}*',
  ].join('|')})(?!\\p{L})`,
  'iu',
);

/** A period right at the beginning of what stands behind an amount: how much of it belongs to the salary. */
export const PERIOD_BEHIND = new RegExp(
  `^[ ,]{0,2}(?:(?:gross|brutto|netto|net|brut|bruto) ?)?\\(?(?:per )?(?:${PERIODS.map(([, words]) => words).join('|')})\\.?\\)?`,
  'iu',
);

/** The unit of structured data: `YEAR`, `ANN`, `per hour`, `Monthly`. */
export function givenPeriod(unit: string | null | undefined): SalaryPeriod | null {
  const key = (unit ?? '').trim().slice(0, 40);
  if (key === '') return null;
  return UNIT_CODES[key.toUpperCase()] ?? printedPeriod(key) ?? printedPeriod(`per ${key}`);
}

/** UN/CEFACT codes. */
const UNIT_CODES: Readonly<Record<string, SalaryPeriod>> = {
  HUR: 'HOUR',
  WEE: 'WEEK',
  MON: 'MONTH',
  ANN: 'YEAR',
};

/** Only a lower bound is said. */
export const FROM =
  /(?<!\p{L})(?:from|starting(?: at| from)?|starts at|at least|min(?:imum|\.)?|ab|mind\.?|mindestens|od|minimálně|desde|a partir de|à partir de|dès|vanaf|från|fra|от|від|over|more than)[ :]{0,3}$/iu;
/** Only an upper bound is said. */
export const UP_TO =
  /(?<!\p{L})(?:up to|to|max(?:imum|\.)?|at most|bis(?: zu)?|do|až(?: do)?|maximálně|hasta|jusqu['’]à|até|fino a|tot|upp till|opp til|op til|до|under|less than)[ :]{0,3}$/iu;
/** What joins the two ends of a range. */
export const BETWEEN = /^ ?(?:[-–—−‒―~〜～]{1,2}|to|up to|bis|až|do|à|a|al|and|und|et|y|e|i|tot|till|til|до|по) ?$/iu;

/** A sum beside the salary, or none at all. */
export const NOT_SALARY =
  /(?<!\p{L})(?:bonus(?:es)?|prämie|prime|commission|provision|relocation|stipend|allowance|revenue|turnover|umsatz|budget|funding|raised|referral|reward|sign-?on|discount|tuition|employees|mitarbeiter|positions?|openings?)(?!\p{L})/iu;

/** Words around a salary that change nothing about it. */
export const FILLER =
  /(?<!\p{L})(?:salary|pay|rate|range|base|basic|gross|net|brutto|netto|brut|bruto|from|to|up|between|and|or|min|max|minimum|maximum|starting|at|least|ab|bis|od|do|doe|depending|dependent|on|experience|circa|ca|approx|around|gehalt|lohn|plat|mzda|salaire|sueldo|salario|stipendio|loon|salaris|lön|løn|зарплата|от|до)(?!\p{L})/giu;

/** How long one works, which is not what one is paid for. */
export const WORKING_TIME =
  /(?<![.,])(?<![\d$€£] ?)\b\d{1,2}(?:[.,]\d)? ?-?(?:hours?|hrs|stunden|std\.?|hodin|godzin|heures|horas|ore|uren|timmar|timer|days?|tage|jours|dní)(?:(?: ?\/ ?| (?:per|a|pro|par|por|in der|týdně|na) )(?:week|day|month|woche|tag|semaine|semana|týden|tydzień))?(?!\p{L})/giu;
