import type { JobPage } from './job-page.js';
import type { Line } from './readers/lines.js';

/** How many lines before and behind the title still belong to it. */
export const BEFORE = 4;
export const AFTER = 10;

/** The job's own lines around its title. */
export function linesNear(page: JobPage, titleAt: number | null, before = BEFORE): Line[] {
  if (titleAt === null) return [];
  const found: Line[] = [];
  for (let at = Math.max(0, titleAt - before); at <= titleAt + AFTER; at += 1) {
    const line = page.outline.lines[at];
    if (line && at !== titleAt && page.isOwn(at) && line.block?.name !== 'button') found.push(line);
  }
  return found;
}

/** What all of them say, where they say one thing. */
export function theOnly(texts: readonly string[]): string | null {
  const [only, ...others] = new Set(texts);
  return only !== undefined && others.length === 0 ? only : null;
}
