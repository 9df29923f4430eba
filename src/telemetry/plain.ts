import { REDACTED, Secret } from '../domain/secret.js';
import { describeError } from './describe-error.js';
import type { Scrubber } from './scrubber.js';
import { isContentName, isSecretHeader, isSecretName } from './secret-patterns.js';
import { VOCABULARY } from './vocabulary.js';

export const MAX_STRING = 4096;
const MAX_KEY = 64;
const MAX_DEPTH = 6;
const MAX_ENTRIES = 64;
const MAX_VALUES = 1000;

export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/**
 * A copy of anything that JSON can hold, bounded in every direction, with snake_case keys. Never throws: what cannot be
 * read says so. Secrets go by the name they stand under here; by their value they go later, when the line is finished.
 */
export function toPlain(value: unknown, scrubber: Scrubber): Plain {
  return new Copy(scrubber).of(value, 0) ?? null;
}

/** As `toPlain`, for the fields of one log entry: always an object. What stands under a key of `without` is not touched. */
export function toFields(value: object, scrubber: Scrubber, without: readonly string[]): Record<string, Plain> {
  const plain = new Copy(scrubber, without).of(value, 0) ?? null;
  if (plain !== null && typeof plain === 'object' && !Array.isArray(plain)) return plain;
  return { value: plain };
}

class Copy {
  private readonly ancestors = new Set<object>();
  private left = MAX_VALUES;

  constructor(
    private readonly scrubber: Scrubber,
    private readonly without: readonly string[] = [],
  ) {}

  /** `undefined` is left out by whoever holds it. */
  of(value: unknown, depth: number): Plain | undefined {
    if (this.left-- <= 0) return '[cut]';
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
        return value;
      case 'bigint':
        return String(value);
      case 'object':
        return value === null ? null : this.ofObject(value, depth);
      default:
        return undefined;
    }
  }

  private text(text: string): string {
    return text.length > MAX_STRING ? this.scrubber.scrubCut(text, MAX_STRING) : text;
  }

  private ofObject(value: object, depth: number): Plain | undefined {
    if (this.ancestors.has(value)) return '[circular]';
    if (depth > MAX_DEPTH) return '[deep]';
    this.ancestors.add(value);
    try {
      return this.byKind(value, depth);
    } catch {
      // A proxy, a toJSON or a prototype that throws.
      return '[unreadable]';
    } finally {
      this.ancestors.delete(value);
    }
  }

  private byKind(value: object, depth: number): Plain | undefined {
    if (value instanceof Secret) return REDACTED;
    if (value instanceof Error) return describeError(value, this.scrubber);
    if (Array.isArray(value)) return this.ofList(value, depth);
    if (value instanceof Set) return this.ofList([...value].slice(0, MAX_ENTRIES + 1), depth);
    if (value instanceof Map) return this.ofMap(value, depth);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return this.of(toJSON.call(value), depth + 1);
    return this.ofEntries(Object.keys(value), (key) => (value as Record<string, unknown>)[key], depth);
  }

  private ofList(list: unknown[], depth: number): Plain {
    const copy: Plain[] = [];
    for (let at = 0; at < Math.min(list.length, MAX_ENTRIES); at++) {
      const before = list[at - 1];
      const secret = typeof before === 'string' && isSecretHeader(before);
      copy.push(secret ? REDACTED : (this.of(list[at], depth + 1) ?? null));
    }
    if (list.length > MAX_ENTRIES) copy.push('[more]');
    return copy;
  }

  private ofMap(map: Map<unknown, unknown>, depth: number): Plain {
    const byName = new Map([...map].map(([key, value]) => [String(key), value]));
    return this.ofEntries([...byName.keys()], (key) => byName.get(key), depth);
  }

  private ofEntries(keys: string[], read: (key: string) => unknown, depth: number): Plain {
    const entries: [string, Plain][] = [];
    for (const key of keys.slice(0, MAX_ENTRIES)) {
      const value = this.entry(key, read, depth);
      if (value !== undefined) entries.push([this.nameFor(key), value]);
    }
    if (keys.length > MAX_ENTRIES) entries.push(['more_entries', keys.length - MAX_ENTRIES]);
    // Defines each key as its own property: `__proto__` is one like any other.
    return Object.fromEntries(entries);
  }

  private entry(key: string, read: (key: string) => unknown, depth: number): Plain | undefined {
    if (depth === 0 && this.without.includes(key)) return undefined;
    try {
      const value = read(key);
      if (value === undefined || value === null || typeof value === 'boolean') return value;
      if (isSecretName(key)) return REDACTED;
      if (isContentName(key) && typeof value !== 'number') return '[omitted]';
      return this.of(value, depth + 1);
    } catch {
      return '[unreadable]';
    }
  }

  /** Scrubbed first: a secret used as a key would no longer be recognised after it was respelled. */
  private nameFor(key: string): string {
    if (VOCABULARY.has(key)) return key;
    const clean = this.scrubber.scrubCut(key, MAX_KEY);
    return CAMEL_CASE.test(clean) ? clean.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : clean;
  }
}

/** Only names as we write them: header names and keys that are data stay as they are. */
const CAMEL_CASE = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+$/;
