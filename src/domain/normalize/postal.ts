/** A postal code found at an edge of a piece of an address, and the text beside it. */
export interface PostalCode {
  code: string;
  /** What stands before and behind it; the city is on the side that `city` names. */
  before: string;
  behind: string;
  city: 'before' | 'behind';
  /** `sure`: nothing else looks like this. `region`: a code if a state stands before it. `weak`: as good as any number. */
  strength: 'sure' | 'region' | 'weak';
  /** Whose codes have this shape, where it is only theirs. */
  country: string | null;
}

interface Shape extends Pick<PostalCode, 'city' | 'strength' | 'country'> {
  /** The code alone; the edges are put around it. */
  code: string;
}

// In the order of how much each says. A city stands before the codes of the first half, and behind those of the second.
const SHAPES: readonly Shape[] = [
  {
    code: '(?:[A-PR-UWYZ]\\d[A-HJKPSTUW\\d]?|[A-PR-UWYZ][A-HK-Y]\\d[\\dABEHMNPRVWXY]?) ?\\d[ABD-HJLNP-UW-Z]{2}',
    city: 'before',
    strength: 'sure',
    country: 'GB',
  },
  {
    code: '[ABCEGHJ-NPRSTVXY]\\d[ABCEGHJ-NPRSTV-Z][ -]?\\d[ABCEGHJ-NPRSTV-Z]\\d',
    city: 'before',
    strength: 'sure',
    country: 'CA',
  },
  {
    code: '(?:[AC-FHKNPRTV-Y]\\d{2}|D6W) ?(?=\\d{0,3}[A-Z])[AC-FHKNPRTV-Y\\d]{4}',
    city: 'before',
    strength: 'sure',
    country: 'IE',
  },
  { code: '\\d{5}-\\d{4}', city: 'before', strength: 'region', country: 'US' },
  { code: '\\d{5}', city: 'before', strength: 'region', country: 'US' },
  { code: '\\d{4}', city: 'before', strength: 'region', country: 'AU' },
  { code: '\\d{4} ?(?!SA|SD|SS|N[EW] |S[EW] )[A-Z]{2}', city: 'behind', strength: 'sure', country: 'NL' },
  { code: '(?:P-)?\\d{4}-\\d{3}', city: 'behind', strength: 'sure', country: 'PT' },
  { code: '(?:PL-)?\\d{2}-\\d{3}', city: 'behind', strength: 'sure', country: 'PL' },
  { code: '(?:CZ-|SK-|SE-|S-|GR-)\\d{3} ?\\d{2}', city: 'behind', strength: 'sure', country: null },
  {
    code: '(?:A|B|CH|D|DK|E|ES|F|FI|FR|FIN|FL|H|HR|HU|I|IT|L|LT|LU|LV|N|NL|NO|RO|SI|SLO|AT|BE|DE)[–-]\\d{4,6}',
    city: 'behind',
    strength: 'sure',
    country: null,
  },
  { code: '\\d{3} \\d{2}', city: 'behind', strength: 'weak', country: null },
  { code: '\\d{5}-\\d{3}', city: 'behind', strength: 'weak', country: 'BR' },
  { code: '\\d{4,6}', city: 'behind', strength: 'weak', country: null },
  { code: '(?:LV|LT|EE|BR|MX|JP|〒)?-?\\d{3}[ -]\\d{3,4}', city: 'before', strength: 'weak', country: null },
  { code: '(?:LV|LT|LU|L)-\\d{4,5}|\\d{5}-\\d{3}|\\d{4,6}', city: 'before', strength: 'weak', country: null },
];

const PATTERNS = SHAPES.map((shape) => ({
  ...shape,
  // Letters or digits must not run on at either side, and a city needs room on its own side or in another piece.
  pattern:
    shape.city === 'before'
      ? new RegExp(`^(?:(.*[^\\p{L}\\d-]))?(${shape.code})()$`, 'u')
      : new RegExp(`^(?:(.*[^\\p{L}\\d.-]))?(${shape.code}) +(\\p{L}.*|['’]s-.*)$`, 'u'),
}));

/** One look that all shapes pass; most lines with a number do not. */
export const mayHoldCode = (text: string): boolean => /\d{4}|\d{3} \d{2}|\d-\d{3}|\d ?[A-Z]/.test(text);

/** Every way to read a postal code in a piece of an address, the surest first. */
export function postalCodes(piece: string): PostalCode[] {
  if (piece.length > MAX_PIECE || !mayHoldCode(piece)) return [];
  return PATTERNS.flatMap(({ pattern, city, strength, country }) => {
    const [, before = '', code, behind = ''] = pattern.exec(piece) ?? [];
    return code ? [{ code, before: before.trim(), behind: behind.trim(), city, strength, country }] : [];
  });
}

const MAX_PIECE = 200;
