/**
 * One item of structured data, whichever syntax it was written in: JSON-LD, microdata, RDFa and the state of a page's
 * scripts all become this, so that an adapter asks its questions once. Names are without their vocabulary
 * (`JobPosting`, not `https://schema.org/JobPosting`). Things may refer to each other in circles: never walk them
 * without a bound.
 */
export interface Thing {
  readonly id: string | null;
  readonly types: readonly string[];
  readonly props: Map<string, Value[]>;
}

/** Numbers and booleans are printed. */
export type Value = string | Thing;

export const isThing = (value: Value): value is Thing => typeof value !== 'string';

export const isA = (thing: Thing, types: ReadonlySet<string>): boolean => thing.types.some((type) => types.has(type));

export const valuesOf = (thing: Thing | null, name: string): readonly Value[] => thing?.props.get(name) ?? [];

export const thingsOf = (thing: Thing | null, name: string): Thing[] => valuesOf(thing, name).filter(isThing);

/** The first text under any of the names, tried in order. A thing stands for its name. */
export function textOf(thing: Thing | null, ...names: string[]): string | null {
  for (const name of names) {
    for (const value of valuesOf(thing, name)) {
      const text = isThing(value) ? plainName(value) : value;
      if (text !== null && text.trim() !== '') return text;
    }
  }
  return null;
}

const plainName = (thing: Thing): string | null =>
  valuesOf(thing, 'name').find((value): value is string => typeof value === 'string') ?? null;

/** `http://schema.org/JobPosting`, `schema:JobPosting` and `JobPosting` are one name. */
export function localName(name: string): string {
  const end = name.endsWith('/') ? name.length - 1 : name.length;
  const start = Math.max(
    name.lastIndexOf('/', end - 1),
    name.lastIndexOf('#', end - 1),
    name.lastIndexOf(':', end - 1),
  );
  return name.slice(start + 1, end);
}
