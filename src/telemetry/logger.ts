import { type DestinationStream, destination, type Level, type LogFn, type Logger, pino } from 'pino';
import { describeError, read } from './describe-error.js';
import { finishLine } from './log-line.js';
import { MAX_STRING, toFields, toPlain } from './plain.js';
import type { Scrubber } from './scrubber.js';

export type LogLevel = Level | 'silent';

export interface LoggerOptions {
  level: LogLevel;
  /** Stands as `request_id` in entries that belong to no request. */
  bootId: string;
  scrubber: Scrubber;
  /** Wall time in milliseconds. */
  now: () => number;
  destination?: DestinationStream;
}

/**
 * JSON lines with exactly these words: `request_id`, `level` (a word), `timestamp` (ISO 8601), `message`, then the
 * entry's own fields in snake_case. It is a real pino logger, so Fastify takes it as it is. Logging never throws.
 */
export function createLogger({ level, bootId, scrubber, now, destination }: LoggerOptions): Logger {
  // Children that carry a request id of their own (Fastify makes one per request) must not get a second one.
  const named = new WeakSet<Logger>();
  return pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"timestamp":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        req: (request) => toPlain(requestLine(request), scrubber),
        res: (reply) => toPlain(statusLine(reply), scrubber),
        err: (error) => (error === null ? null : describeError(error, scrubber)),
      },
      onChild: (child) => {
        if (typeof child.bindings().request_id === 'string') named.add(child);
      },
      hooks: {
        logMethod(args, method) {
          try {
            const { fields, message } = readCall(args, scrubber);
            if (named.has(this)) delete fields.request_id;
            else if (typeof fields.request_id !== 'string' || fields.request_id === '') fields.request_id = bootId;
            method.call(this, fields, message);
          } catch {
            // Only a destination that throws comes here. The work that was being logged matters more than its line.
          }
        },
        streamWrite: (line) => finishLine(line, scrubber),
      },
    },
    destination ?? standardOutput(),
  );
}

/**
 * Synchronous: a line is with the operating system before the next statement runs, so the last words before a crash, an
 * exit or a kill -9 are not lost in a buffer. At two lines a task the write is far from being what limits us.
 */
function standardOutput(): DestinationStream {
  const stream = destination({ dest: 1, sync: true });
  // A full disk or a closed pipe behind stdout must not take the service down.
  stream.on('error', () => {});
  return stream;
}

/** These have serializers, which must see the original. */
const SERIALIZED = ['req', 'res', 'err'] as const;
const ENVELOPE = ['level', 'timestamp', 'message'] as const;

/** `(fields, message, …)`, `(error, message?)` or `(message, …)`, as fields that are safe to print and one sentence. */
function readCall(args: Parameters<LogFn>, scrubber: Scrubber): { fields: Record<string, unknown>; message: string } {
  const [first, ...rest] = args as unknown[];
  if (typeof first !== 'object' || first === null) return { fields: {}, message: sentence([first, ...rest], scrubber) };
  if (isError(first)) {
    return { fields: { err: first }, message: sentence(rest.length > 0 ? rest : [read(first, 'message')], scrubber) };
  }
  const fields: Record<string, unknown> = toFields(first, scrubber, SERIALIZED);
  for (const key of SERIALIZED) fields[key] = read(first, key);
  const message = sentence(rest.length > 0 ? rest : [fields.message], scrubber);
  for (const key of ENVELOPE) {
    if (fields[key] === undefined) continue;
    fields[`field_${key}`] = fields[key];
    delete fields[key];
  }
  // With these three together pino would take the fields for a request and print nothing else of them.
  if (fields.method && fields.headers && fields.socket) delete fields.socket;
  return { fields, message };
}

/** The message and whatever was given to fill it in. */
function sentence([message, ...values]: unknown[], scrubber: Scrubber): string {
  const text = printable(message, scrubber).replace(/%[sdifjoOc]/g, (place) =>
    values.length === 0 ? place : printable(values.shift(), scrubber),
  );
  return text.length > MAX_STRING ? scrubber.scrubCut(text, MAX_STRING) : text;
}

function printable(value: unknown, scrubber: Scrubber): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(toPlain(value, scrubber));
}

function isError(value: object): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** Of a request and its reply only what identifies them: no headers, no body. */
const requestLine = (request: unknown): object => ({
  method: read(request, 'method'),
  url: read(request, 'url'),
  remote_address: read(request, 'ip'),
});

const statusLine = (reply: unknown): object => ({ status: read(reply, 'statusCode') });
