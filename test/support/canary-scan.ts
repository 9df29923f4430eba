/**
 * Every secret that the tests hand to the service bears a mark, so that it is known wherever it turns up, whoever put it
 * there: `CANARY-…`. The addresses of callbacks bear `CANARY-cb-…`: the store must know them to tell anybody anything,
 * and nobody else may.
 */
export type SinkKind = 'log' | 'answer' | 'metrics' | 'webhook' | 'database' | 'file';

export interface Finding {
  kind: SinkKind;
  where: string;
  /** What stands around it. */
  text: string;
}

const MARK = 'CANARY-';
const CALLBACK_MARK = 'CANARY-cb-';

/** Each as it may be written: plain, percent-encoded once or twice, escaped in JSON, in base64. */
const FORMS = [...new Set([MARK, MARK.toLowerCase()].flatMap(spellings))].map((form) => Buffer.from(form));

function spellings(mark: string): string[] {
  const hyphens = ['-', '%2D', '%2d', '%252D', '%252d', '\\u002d', '\\u002D', '&#45;', '&#x2d;'];
  return [...hyphens.map((hyphen) => mark.replace('-', hyphen)), ...base64(mark)];
}

/** In base64 it may begin at any of three places in a group; only the characters made of nothing else are certain. */
function base64(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).toString('base64');
    return encoded.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + text.length) * 8) / 6));
  });
}

/** Where in these bytes a canary is. One of each spelling will do. */
export function canariesIn(bytes: Buffer, kind: SinkKind, where: string): Finding[] {
  return FORMS.flatMap((form) => {
    const at = firstOf(bytes, form, kind);
    if (at === -1) return [];
    return [{ kind, where, text: bytes.subarray(Math.max(0, at - 60), at + 60).toString('latin1') }];
  });
}

function firstOf(bytes: Buffer, form: Buffer, kind: SinkKind): number {
  for (let at = bytes.indexOf(form); at !== -1; at = bytes.indexOf(form, at + 1)) {
    const isAddress = bytes.subarray(at, at + CALLBACK_MARK.length).toString('latin1') === CALLBACK_MARK;
    if (kind !== 'database' || !isAddress) return at;
  }
  return -1;
}
