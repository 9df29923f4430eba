import { type Scrubber, shorten } from './scrubber.js';

const MAX_CAUSES = 4;
const MAX_TEXT = 2048;
const MAX_STACK = 4096;

export interface ErrorDescription {
  [key: string]: string | number | ErrorDescription | ErrorDescription[];
}

/**
 * What an error says about itself: type, code, message, stack and, a few steps down, its causes. Nothing else of it:
 * libraries hang sockets, requests and options on their errors. Never throws, whatever was thrown.
 */
export function describeError(error: unknown, scrubber: Scrubber): ErrorDescription {
  return describe(error, scrubber, MAX_CAUSES);
}

/**
 * Without any message: parsers quote what they could not parse, and that is the scraped page. The stack keeps only its
 * frames, since its first lines repeat the message.
 */
export function describeWithoutMessage(error: unknown): ErrorDescription {
  const frames = (textOf(error, 'stack') ?? '').split('\n').filter((line) => FRAME.test(line));
  return { type: typeOf(error), stack: shorten(frames.join('\n'), MAX_STACK) };
}

/** A frame ends in a place; a quoted page that merely begins a line with "at" does not. */
const FRAME = /^ {4}at [^"'`]{1,300}:\d+:\d+\)?$/;

function describe(error: unknown, scrubber: Scrubber, causesLeft: number): ErrorDescription {
  if (typeof error !== 'object' || error === null) {
    return { type: typeof error, message: scrubber.scrubCut(String(error), MAX_TEXT) };
  }
  const described: ErrorDescription = { type: typeOf(error) };
  const code = read(error, 'code');
  if (typeof code === 'string' || typeof code === 'number') described.code = cut(String(code), MAX_TEXT);
  described.message = cut(textOf(error, 'message') ?? '', MAX_TEXT);
  const stack = textOf(error, 'stack');
  if (stack !== undefined) described.stack = cut(stack, MAX_STACK);
  if (causesLeft === 0) return described;
  const cause = read(error, 'cause');
  if (cause !== undefined && cause !== null) described.cause = describe(cause, scrubber, causesLeft - 1);
  const errors = read(error, 'errors');
  if (Array.isArray(errors)) {
    described.errors = errors.slice(0, 3).map((each) => describe(each, scrubber, causesLeft - 1));
  }
  return described;

  function cut(text: string, limit: number): string {
    return scrubber.scrubCut(text, limit);
  }
}

const typeOf = (error: unknown): string => shorten(textOf(error, 'name') ?? typeof error, 64);

function textOf(error: unknown, key: string): string | undefined {
  const value = read(error, key);
  return typeof value === 'string' ? value : undefined;
}

/** One property of anything; `undefined` where there is none or its getter throws. */
export function read(holder: unknown, key: string): unknown {
  try {
    return (holder as Record<string, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}
