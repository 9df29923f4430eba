import { REDACTED, Secret } from '../domain/secret.js';
import { Literals, type Span } from './literals.js';
import { formsOf, MIN_SECRET_LENGTH } from './secret-forms.js';
import { mayHoldSecret, redactPatterns } from './secret-patterns.js';

/** Knows the secrets in use and takes them out of texts, together with whatever looks like one. */
export interface Scrubber {
  /**
   * From now on this value is redacted in each of its spellings. The returned function forgets it again (a credential
   * that was replaced). Values under 6 characters are not taken: see MIN_SECRET_LENGTH.
   */
  add(value: string | Secret): () => void;
  /** For one string, not for serialised JSON: a rule may run to the end of the line, quotes and braces included. */
  scrub(text: string): string;
  /** As `scrub`, but no longer than `limit`; where it is cut, no half of a secret is left. */
  scrubCut(text: string, limit: number): string;
  /** Cheap: false means that `scrub` would change nothing in any string of this text, serialised JSON included. */
  suspects(text: string): boolean;
}

/** A huge string is looked at only so far. */
const WINDOW = 64 * 1024;

export function createScrubber(): Scrubber {
  const literals = new Literals();

  const scrub = (text: string): string => {
    const clean = cutOut(text, literals.spans(text));
    return mayHoldSecret(clean) ? redactPatterns(clean) : clean;
  };

  const scrubCut = (text: string, limit: number): string => {
    if (text.length <= WINDOW) return shorten(scrub(text), limit);
    // A secret that the window's edge cuts in two is not recognised: the last of it goes whole.
    const seen = scrub(text.slice(0, WINDOW));
    return shorten(`${seen.slice(0, Math.max(0, seen.length - literals.longest))}…`, limit);
  };

  return {
    add: (value) => watch(literals, value instanceof Secret ? value.reveal() : value),
    scrub,
    scrubCut,
    suspects: (text) => mayHoldSecret(text) || literals.spans(text).length > 0,
  };
}

/** At most `limit` characters, and never half a surrogate pair. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, Math.max(0, limit - 1));
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

function watch(literals: Literals, secret: string): () => void {
  // A secret that the replacement itself spells would be "found" again for ever.
  if (secret.length < MIN_SECRET_LENGTH || REDACTED.includes(secret.toLowerCase())) return () => {};
  const forms = formsOf(secret);
  for (const form of forms) literals.add(form);
  let known = true;
  return () => {
    if (!known) return;
    known = false;
    for (const form of forms) literals.remove(form);
  };
}

function cutOut(text: string, spans: Span[]): string {
  let clean = '';
  let from = 0;
  for (const { start, end } of spans) {
    clean += text.slice(from, start) + REDACTED;
    from = end;
  }
  return from === 0 ? text : clean + text.slice(from);
}
