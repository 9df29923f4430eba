import { cleanText } from '../../domain/normalize/text.js';
import { camelName } from './hydration.js';
import { type Thing, textOf } from './thing.js';

/** Which object of a page's state is looked for: it says all of these, each under one of its names. */
interface WantedState {
  needs: readonly (readonly string[])[];
}

/** All that say it, outermost first. Of copies that say the same the fullest stands for all. */
export function statesNaming(things: readonly Thing[], { needs }: WantedState): Thing[] {
  const names = needs.map((alternatives) => alternatives.map(camelName));
  const found = new Map<string, Thing>();
  for (const thing of things) {
    const said = sayings(thing, names);
    const known = said === null ? undefined : found.get(said);
    if (said !== null && (known === undefined || known.props.size < thing.props.size)) found.set(said, thing);
  }
  return [...found.values()];
}

function sayings(thing: Thing, needs: readonly (readonly string[])[]): string | null {
  const said: string[] = [];
  for (const names of needs) {
    const text = textOf(thing, ...names);
    const clean = text === null ? null : cleanText(text.slice(0, 500));
    if (clean === null) return null;
    said.push(clean.toLowerCase());
  }
  return JSON.stringify(said);
}
