import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const page = readFileSync(at('test/FAULTS.md'), 'utf8');

interface Row {
  id: string;
  shown: string;
}

const rowsOf = (text: string): Row[] =>
  [...text.matchAll(/^\| (F\d\d) \|.*\| ([^|]+) \|$/gm)].map(([, id, shown]) => ({ id: id!, shown: shown! }));

/** What a row names that is not there: a file, or a test of that title in it. */
function missing({ id, shown }: Row): string[] {
  return [...shown.matchAll(/`(test\/[^`]+)` › “([^”]+)”/g)].flatMap(([, file, title]) => {
    if (!existsSync(at(file!))) return [`${id}: ${file}`];
    // As it stands in the source: after a quote, and before one or whatever a template adds.
    const source = readFileSync(at(file!), 'utf8').replaceAll("\\'", "'");
    return ["'", '"', '`'].some((quote) => source.includes(quote + title)) ? [] : [`${id}: ${file} › ${title}`];
  });
}

describe('the page of faults', () => {
  it('has every row once, in order', () => {
    const wanted = Array.from({ length: 62 }, (_, n) => `F${String(n + 1).padStart(2, '0')}`);
    expect(rowsOf(page).map(({ id }) => id)).toEqual(wanted);
  });

  it('says of every row what shows it, or why nothing has to', () => {
    const silent = rowsOf(page).filter(({ shown }) => !/› “|^Argued: |^Waits for /.test(shown));
    expect(silent).toEqual([]);
  });

  it('names only tests that exist', () => {
    expect(rowsOf(page).flatMap(missing)).toEqual([]);
  });

  it('would be found out where it names one that does not', () => {
    const [row] = rowsOf('| F01 | a | b | `test/project.test.ts` › “no such title”<br>`test/none.test.ts` › “x” |');
    expect(missing(row!)).toEqual(['F01: test/project.test.ts › no such title', 'F01: test/none.test.ts']);
  });
});
