import { foldSpace } from '../../domain/normalize/text.js';

/** How registered companies end, in the countries whose pages we see most. */
const FORMS = (
  'Inc,Incorporated,Ltd,Limited,LLC,L.L.C.,LLP,PLC,plc,PLLC,P.L.L.C.,P.C.,P.A.,Corp,Corporation,Pty Ltd,Pty. Ltd,Pvt Ltd,' +
  'Pvt. Ltd,Pte Ltd,GmbH,gGmbH,GmbH & Co. KG,AG,KG,OHG,e.K.,e.V.,s.r.o.,spol. s r.o.,a.s.,Sp. z o.o.,S.A.,S.A.S.,SARL,SAS,' +
  'S.à r.l.,S.r.l.,S.p.A.,S.L.,S.L.U.,Lda,Ltda,B.V.,N.V.,ApS,A/S,AB,Oy,Oyj,Kft,Zrt,d.o.o.,OOD,EOOD,K.K.'
).split(',');
// Words too, at the end of a phrase: they tell nothing, but two names may differ by them.
const VAGUE_FORMS = ['Co', 'Company', 'SA', 'AS', 'SL', 'UG', 'Group', 'Association'];

// The last point is often forgotten, and a space set behind the others; without any, `a.s.` would be a word.
const patternOf = (form: string): string => form.replaceAll(' ', ' ?').replace(/\.$/, '').replaceAll('.', '\\. ?');
const anyOf = (forms: readonly string[]): string => forms.map(patternOf).join('|');

const SURE_FORM = new RegExp(`[\\s,](?:${anyOf([...FORMS, ...FORMS.map((form) => form.toUpperCase())])})\\.?$`, 'u');
const LEGAL_FORM = new RegExp(`[\\s,]+(?:${anyOf([...FORMS, ...VAGUE_FORMS])})\\.?$`, 'iu');

/** Does it end as only registered companies do? */
export const hasLegalForm = (name: string): boolean => name.length <= 120 && SURE_FORM.test(name);

/** Where a registered name ends and a street begins, in a line that holds both. */
export const NAME_BEFORE_STREET = new RegExp(
  `^(.{3,70}?[\\s,](?:${anyOf([...FORMS, 'Co', 'Company'])})\\.?),?\\s+(?=\\d)`,
  'u',
);

/** Letters and digits only, without accents and legal forms: `Café Röd Ltd.` is `caferod`. */
export function foldName(name: string): string {
  const plain = name.slice(0, 300).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();
  return plain
    .replace(LEGAL_FORM, '')
    .replace(/^the\s+/, '')
    .replace(/\s*(?:&|\+|\band\b)\s*/g, ' ')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Could a piece of text be the name of a company at all? Not the words that all sites have, no sentences, no lists of
 * what is sold, no hosts and no numbers.
 */
export function asCompanyName(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text.length > MAX_NAME) return null;
  const name = foldSpace(text)
    .replace(/^(?:welcome to|willkommen bei|bienvenue chez|about|contact|über|o nás)\s+(?=\S)/i, '')
    .replace(/^[\s"'“”«»|:•·,*–—-]+|[\s"“”«»|:•·,*–—-]+$/g, '')
    .replace(/[®™]/g, '');
  if (!/\p{L}{2}|\p{L}\d|\d\p{L}/u.test(name) || name.split(' ').length > 8) return null;
  if (/[!?…]$|[@©=<>{}[\]"“”„]|:\/\/|\.\.\./.test(name) || /^[\w-]+(?:\.[\w-]+)+\/?$/.test(name)) return null;
  if (/\.$/.test(name) && !hasLegalForm(name) && !/\b\p{L}{1,4}\.$/u.test(name)) return null;
  if (/\s(?:is|are|was|we)\s|\b(?:us|you|here|more|now|today|below|map)$/i.test(name) && !hasLegalForm(name))
    return null;
  return GENERIC.test(name) ? null : name;
}

/** The same name, or one goes on where the other ends: `Pine` and `Pine Boats AB` */
export function sameName(a: string, b: string): boolean {
  const [one, other] = [foldName(a), foldName(b)];
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long ? short !== '' : short.length >= 2 && long.startsWith(short) && startsAsWords(a, b);
}

// `Art` does not begin `Artisan Bakers`: letters that go on are another word.
function startsAsWords(a: string, b: string): boolean {
  const [one, other] = [wordsOf(a), wordsOf(b)];
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.startsWith(`${short} `) || foldName(short).length >= 5;
}

const wordsOf = (name: string): string =>
  foldSpace(
    name
      .slice(0, 300)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(LEGAL_FORM, '')
      .replace(/[^\p{L}\p{N}]+/gu, ' '),
  );

const MAX_NAME = 90;

/** What every site has, and templates bring along. */
const GENERIC = new RegExp(
  `^(?:${[
    'home|home ?page|start|startseite|index|main|menu|welcome|willkommen|benvenuti|bienvenue|bienvenidos|accueil',
    'inicio|início|úvod|hlavní stránka|strona główna|untitled.{0,40}|new page.{0,20}|page \\d+|title|default|logo|header|banner',
    'contact.{0,20}|kontakt\\w{0,4}|contatti|contato|get in touch|(?:find|visit|follow|about|contact) us|about|über uns|o nás',
    'impressum|imprint|quem somos|our (?:company|team|story|offices?|locations?|website)|company|corporate|information',
    'services?|products?|sales|support|help|customer service|news|blog|(?:online )?shop|store|links|careers|jobs|faqs?',
    'locations?|(?:head ?)?offices?|headquarters|(?:mailing |postal )?address|adresse|map|directions|(?:opening )?hours|usa|europe',
    'all rights reserved|copyright|privacy.{0,20}|terms.{0,20}|site ?map|image|this (?:web)?site|the authors?|official (?:web)?site',
    'search|login|sign in|phone|tel|fax|e-?mail|coming soon|under construction|page not found|404.{0,20}',
    'wordpress|joomla.{0,3}|drupal|notice|policy|statement|disclaimer|company name|site name|(?:your|my) (?:new )?(?:company|business|site|name|blog|website).{0,10}',
  ].join('|')})$`,
  'i',
);
