/**
 * State that a framework wrote as one flat list: the first entry is the whole, and every number inside an object or
 * array is the position of the member. Read as it stands, each title would be a number.
 */
export function isFlattened(list: readonly unknown[]): boolean {
  const [first] = list;
  if (list.length < 2 || !isContainer(first) || Object.keys(first).length === 0) return false;
  return list.every((entry) => !isContainer(entry) || isWrapper(entry) || holdsPositions(entry, list.length));
}

/** The whole, put together. It may hold itself. */
export function unflatten(list: readonly unknown[]): object {
  const made = list.map((entry) => (isContainer(entry) ? emptyLike(entry) : entry));
  const at = (position: unknown): unknown => {
    const target = followed(list, position);
    const entry = list[target];
    if (!isWrapper(entry)) return made[target];
    return entry.length === 2 ? entry[1] : undefined;
  };
  for (const [n, entry] of list.entries()) {
    const copy = made[n];
    if (!isContainer(entry) || isWrapper(entry) || !isContainer(copy)) continue;
    for (const [key, position] of Object.entries(entry)) Reflect.set(copy, key, at(position));
  }
  const whole = at(0);
  return isContainer(whole) ? whole : {};
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

// An array that begins with a word tells what is to be made of the rest: `["Reactive", 1]`, `["Date", "2025-01-01"]`.
const isWrapper = (value: unknown): value is unknown[] => Array.isArray(value) && typeof value[0] === 'string';

// Negative numbers stand for values JSON has no word for, such as `undefined`.
const holdsPositions = (entry: object, length: number): boolean =>
  Object.values(entry).every(
    (member) => typeof member === 'number' && Number.isInteger(member) && member >= -10 && member < length,
  );

const emptyLike = (value: object): object => (Array.isArray(value) ? [] : Object.create(null));

const MAX_WRAPPERS = 10;

/** The position behind wrappers that only pass their member on. */
function followed(list: readonly unknown[], position: unknown): number {
  let target = typeof position === 'number' ? position : -1;
  for (let hops = 0; hops < MAX_WRAPPERS; hops += 1) {
    const entry = list[target];
    if (!isWrapper(entry) || entry.length !== 2 || typeof entry[1] !== 'number') return target;
    target = entry[1];
  }
  return -1;
}
