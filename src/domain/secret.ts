/** What stands wherever a secret stood. */
export const REDACTED = '[redacted]';

/**
 * A value that must not be printed. It can be passed around, spread, logged and put into JSON without ever showing
 * itself; the only way to the value is to ask for it by name. The field is a `#private` one, so that neither
 * `Object.entries`, nor a spread, nor a structured clone, nor a debugger's `inspect` walks into it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it where it is used (a header, a comparison), and keep it in no field of another object. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  /** Template strings, concatenation and `Number(secret)` all come here. */
  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  /** Node's `util.inspect` and `console.log`, without importing them. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}
