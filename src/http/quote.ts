import type { FieldFault } from '../domain/errors.js';

const MAX_QUOTED = 100;
const HIDDEN = '[hidden]';
const SECRET_NAME = /key|token|secret|passw|pwd|auth|cookie|credential|session|signature/i;
/** Called keys, but they open nothing. */
const HARMLESS = new Set(['Idempotency-Key']);
// The authority of a URL up to its last @, with the slashes the URL parser tolerates: `//`, `\\` or none at all.
const URL_CREDENTIALS = /^(\s*[a-z][a-z0-9+.-]*:[\\/]*)[^\\/?#]*@/i;

/** A fault as it may be shown: its value short, and never a secret, not even the caller's own. */
export function quoteFault(fault: FieldFault): FieldFault {
  const { field, message, value } = fault;
  const named = { field: shorten(field, 200), message };
  if (value === undefined) return named;
  return { ...named, value: isSecret(field) ? HIDDEN : quote(value) };
}

const isSecret = (field: string): boolean => SECRET_NAME.test(field) && !HARMLESS.has(field);

/** Containers are only described: quoting them could show what hides inside, and costs their whole size. */
function quote(value: unknown): unknown {
  if (typeof value === 'string') return quoteString(value);
  if (Array.isArray(value)) return `[array of ${value.length}]`;
  if (typeof value === 'object' && value !== null) return `[object with ${Object.keys(value).length} keys]`;
  return value;
}

// Masked before it is cut: a cut through the credentials would leave half of them standing.
const quoteString = (text: string): string => shorten(text.replace(URL_CREDENTIALS, `$1${HIDDEN}@`), MAX_QUOTED);

const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1)}…`;
