/**
 * What a reader of CommonMark or GFM would take for a tag, or for a link that is none to a web address; `null` if there
 * is nothing. Knows escapes, code between equal runs of backticks, fences, and the two ways to part the cells of a row.
 */
export function liveMarkup(markdown: string): string | null {
  for (const text of paragraphsOf(markdown)) {
    const live = liveIn(text);
    if (live !== null) return live;
  }
  return null;
}

/** Paragraphs and cells; what is fenced is left out. */
function paragraphsOf(markdown: string): string[] {
  const found: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const close = () => {
    found.push(lines.join('\n'));
    lines = [];
  };
  let isTable = false;
  const all = markdown.split(/\r\n?|\n/);
  for (const [at, line] of all.entries()) {
    isTable = line.startsWith('| ') ? isTable || RULE.test(all[at + 1] ?? '') : false;
    if (fence !== null) {
      if (line.startsWith(fence) && /^`+ *$/.test(line)) fence = null;
      continue;
    }
    fence = /^(`{3,})[^`]*$/.exec(line)?.[1] ?? null;
    if (fence !== null || line.trim() === '') close();
    else if (isTable) found.push(...cellsOf(line, /(?:\\.|[^\\|])+/g), ...cellsOf(line, /(?:[^|]|(?<=\\)\|)+/g));
    else lines.push(line);
  }
  close();
  return found;
}

const RULE = /^\|(?: --- \|)+$/;

const cellsOf = (line: string, cell: RegExp): string[] =>
  (line.match(cell) ?? []).map((text) => text.replaceAll('\\|', '|').trim());

function liveIn(text: string): string | null {
  for (let at = 0; at < text.length; at += 1) {
    const rest = text.slice(at);
    if (/^\\[!-/:-@[-`{-~]/.test(rest)) at += 1;
    else if (rest.startsWith('`')) at = endOfCode(text, at) - 1;
    else if (/^<[a-z/!?]/i.test(rest) || /^\]\((?!https?:)/.test(rest)) return rest.slice(0, 40);
  }
  return null;
}

/** Behind the run that closes the code, or behind the opening one where nothing does. */
function endOfCode(text: string, at: number): number {
  const [open] = /^`+/.exec(text.slice(at)) as RegExpExecArray;
  const behind = at + open.length;
  for (const run of text.slice(behind).matchAll(/`+/g)) if (run[0] === open) return behind + run.index + open.length;
  return behind;
}
