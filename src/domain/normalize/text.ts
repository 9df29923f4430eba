import { decodeHTMLStrict } from 'entities';
import { Tokenizer } from 'htmlparser2';

/**
 * Text as a reader sees it: no tags, no entities, single spaces, trimmed. `null` when nothing is left, or only what
 * programs print for nothing.
 */
export function cleanText(raw: string): string | null {
  const given = raw.length > MAX_RAW ? raw.slice(0, MAX_RAW) : raw;
  // Most values are plain words: one look is much cheaper than taking out what is not there.
  if (!SPECIAL.test(given)) return meaningful(foldSpace(given));
  return meaningful(foldSpace(withoutInvisible(withoutMarkup(given))));
}

// All but what can be typed, and the two signs that markup begins with.
const SPECIAL = /[^ -%'-;=-~]/;

/** White space of every kind, runs of it too, becomes one space. What is one already is left alone: ten times as fast. */
export const foldSpace = (text: string): string => (isFolded(text) ? text : text.replace(/\s{2,}|[^\S ]/g, ' ')).trim();

/** Letters of most languages, and single spaces between them: by far the most texts need nothing but this look. */
function isFolded(text: string): boolean {
  let before = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE ? code !== SPACE || before === SPACE : code === NO_BREAK_SPACE || code >= OTHER_SPACES)
      return false;
    before = code;
  }
  return true;
}

// From Ogham on there are spaces here and there.
const [SPACE, NO_BREAK_SPACE, OTHER_SPACES] = [0x20, 0xa0, 0x1680];

/** Letters without case and marks, for comparing names: `Česká Republika` and `ceska republika` are one. */
export function foldLetters(text: string): string {
  if (!MARKED.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[’‘`´]/g, "'")
    .toLowerCase()
    .replaceAll('ß', 'ss');
}

// Only the backtick among the letters and signs of ASCII is folded with the quotes.
const MARKED = /[`\u0080-\uffff]/;
const MAX_RAW = 1_000_000;
const MAX_ROUNDS = 4;

// Escaped twice is common in JSON-LD (`&lt;p&gt;`), so one round is not enough. More than a few levels are not honest
// text: what still looks like a tag then loses its bracket, and the work stays linear.
function withoutMarkup(raw: string): string {
  let text = raw;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (!/[<&]/.test(text)) return text;
    const next = withoutInvisible(decodeHTMLStrict(stripTags(text)));
    if (next === text) return text;
    text = next;
  }
  return text.replace(/<(?=[a-z/!?])/gi, ' ');
}

/** Elements that do not break a line; between the words of all others stands a space. */
export const INLINE_TAGS: ReadonlySet<string> = new Set(
  (
    'a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong ' +
    'sub sup time tt u var wbr'
  ).split(' '),
);

// Tokens, not a tree: no stack that hostile nesting could grow, and linear whatever the input.
function stripTags(html: string): string {
  const pieces: string[] = [];
  let unseen: string | null = null;
  const boundary = (tag: string) => {
    if (!INLINE_TAGS.has(tag)) pieces.push(' ');
  };
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      ontext: (start, end) => {
        if (unseen === null) pieces.push(html.slice(start, end));
      },
      onopentagname: (start, end) => {
        const tag = html.slice(start, end).toLowerCase();
        if (tag === 'script' || tag === 'style') unseen ??= tag;
        boundary(tag);
      },
      onclosetag: (start, end) => {
        const tag = html.slice(start, end).toLowerCase();
        if (tag === unseen) unseen = null;
        boundary(tag);
      },
      oncdata: (start, end, offset) => pieces.push(html.slice(start, end - offset)),
      onattribdata: ignore,
      onattribentity: ignore,
      onattribend: ignore,
      onattribname: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return pieces.join('');
}

/**
 * Soft hyphens, zero-width and direction marks, halves of characters, control characters. Joiners stay inside words,
 * where scripts and emoji need them.
 */
function withoutInvisible(text: string): string {
  const visible = text.replace(INVISIBLE, '').replace(CONTROL, ' ');
  return visible.replace(/[\u200c\u200d]+/g, (joiners, at: number) => {
    const isInWord = !isEdge(visible[at - 1]) && !isEdge(visible[at + joiners.length]);
    return isInWord ? joiners : '';
  });
}

const INVISIBLE = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\p{Surrogate}]/gu;

const isEdge = (char: string | undefined): boolean => char === undefined || /[\s\p{P}]/u.test(char);

// Built from numbers because the characters themselves may not stand in source text.
const CONTROL = new RegExp(
  `[${String.fromCharCode(0)}-${String.fromCharCode(31)}${String.fromCharCode(127)}-${String.fromCharCode(159)}]`,
  'g',
);

function meaningful(text: string): string | null {
  if (!/[\p{L}\p{N}]/u.test(text)) return null;
  return text.length <= LONGEST_NOTHING && NOTHING.has(text.toLowerCase()) ? null : text;
}

const NOTHING: ReadonlySet<string> = new Set(['null', 'undefined', 'nan', 'none', 'n/a', 'n.a.', '[object object]']);
const LONGEST_NOTHING = 15;
