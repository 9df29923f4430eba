/** From `start` up to, not including, `end`. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Finds any of many fixed texts in one pass, ignoring the case of ASCII letters (host and header names change theirs).
 * A rolling hash of the last four characters says in one table look-up that nothing begins here, so the cost per
 * character does not depend on how many secrets there are; an alternation of thousands of them in a regular expression
 * would. Every literal has at least four characters.
 */
export class Literals {
  private readonly counts = new Map<string, number>();
  private readonly starts = new Uint8Array(0x10000);
  private readonly byHash = new Map<number, string[]>();
  /** Length of the longest literal ever added. */
  longest = 0;

  add(literal: string): void {
    const folded = fold(literal);
    const count = this.counts.get(folded) ?? 0;
    this.counts.set(folded, count + 1);
    if (count > 0) return;
    const hash = hashOfStart(folded);
    this.byHash.set(hash, [...(this.byHash.get(hash) ?? []), folded]);
    this.starts[hash] = 1;
    this.longest = Math.max(this.longest, literal.length);
  }

  /** Takes one `add` back; two owners of the same literal each have their own. */
  remove(literal: string): void {
    const folded = fold(literal);
    const count = this.counts.get(folded) ?? 0;
    if (count > 1) this.counts.set(folded, count - 1);
    if (count !== 1) return;
    this.counts.delete(folded);
    const hash = hashOfStart(folded);
    const rest = (this.byHash.get(hash) ?? []).filter((other) => other !== folded);
    if (rest.length > 0) this.byHash.set(hash, rest);
    else this.byHash.delete(hash);
    this.starts[hash] = rest.length > 0 ? 1 : 0;
  }

  /** In order, overlapping ones joined: what is cut out of `abcdef` must not leave the end of `defghi` behind. */
  spans(text: string): Span[] {
    const spans: Span[] = [];
    if (this.counts.size === 0) return spans;
    let hash = 0;
    for (let at = 0; at < text.length; at++) {
      hash = roll(hash, lower(text.charCodeAt(at)));
      if (this.starts[hash] === 0 || at < GRAM - 1) continue;
      const start = at - GRAM + 1;
      const end = this.endOfLongest(text, start, hash);
      if (end < 0) continue;
      const last = spans.at(-1);
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else spans.push({ start, end });
    }
    return spans;
  }

  private endOfLongest(text: string, start: number, hash: number): number {
    let end = -1;
    for (const literal of this.byHash.get(hash) ?? []) {
      if (start + literal.length > end && standsAt(text, start, literal)) end = start + literal.length;
    }
    return end;
  }
}

const GRAM = 4;

/** 16 bits moved by 4 each time: after four more characters nothing of an old one is left. */
const roll = (hash: number, code: number): number => ((hash << 4) ^ code) & 0xffff;

const lower = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

/** Only ASCII: `toLowerCase` may change the length of a text, and then places would no longer agree. */
const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function hashOfStart(folded: string): number {
  let hash = 0;
  for (let at = 0; at < GRAM; at++) hash = roll(hash, folded.charCodeAt(at));
  return hash;
}

function standsAt(text: string, start: number, folded: string): boolean {
  if (start + folded.length > text.length) return false;
  for (let at = 0; at < folded.length; at++) {
    if (lower(text.charCodeAt(start + at)) !== folded.charCodeAt(at)) return false;
  }
  return true;
}
