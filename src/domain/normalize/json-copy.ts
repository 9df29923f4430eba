/**
 * A copy that is what JSON can carry, so that what is stored and sent is what was checked. `undefined` where something
 * in it is no JSON, goes round in a circle, or is larger than any page: shared parts are counted each time they appear.
 */
export function jsonCopy(given: unknown): unknown {
  try {
    return copy(given, { nodes: MAX_NODES, characters: MAX_CHARACTERS }, 0);
  } catch (error) {
    if (error instanceof NotJson) return undefined;
    throw error;
  }
}

const MAX_NODES = 300_000;
const MAX_CHARACTERS = 30_000_000;
const MAX_DEPTH = 200;

class NotJson extends Error {}

interface Budget {
  nodes: number;
  characters: number;
}

function copy(value: unknown, left: Budget, depth: number): unknown {
  left.nodes -= 1;
  if (left.nodes < 0 || depth > MAX_DEPTH) throw new NotJson();
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'string') return spend(value, left);
  // Minus zero comes back from JSON as zero.
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (Array.isArray(value)) return Array.from(value, (item) => copy(item, left, depth + 1));
  if (!isPlain(value)) throw new NotJson();
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  // From entries, because a page may well call a property `__proto__`.
  return Object.fromEntries(entries.map(([key, item]) => [spend(key, left), copy(item, left, depth + 1)]));
}

function spend(text: string, left: Budget): string {
  left.characters -= text.length;
  if (left.characters < 0) throw new NotJson();
  return text;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) &&
    typeof (value as Record<string, unknown>).toJSON !== 'function'
  );
}
