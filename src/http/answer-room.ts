import { getHeapStatistics } from 'node:v8';
import type { FastifyReply, onSendHookHandler } from 'fastify';
import { GleanerError } from '../domain/errors.js';

/**
 * Room for answers that carry results. One may be 8 MB and more, several times over while it is made: as many callers as
 * like to could ask for one at once, and those who read slowly would keep theirs for as long as they please. So few are
 * made at the same time, one after the other; an answer that is made leaves V8's heap, which has a limit; and while too
 * much is on its way to slow callers, nothing more is read for anybody.
 */
export interface AnswerRoom {
  /** Resolves when it is this answer's turn. Rejects with `overloaded`. Its place is free when the answer is made. */
  enter(reply: FastifyReply): Promise<void>;
  /** For the routes whose handlers enter. */
  onSend: onSendHookHandler;
}

export interface AnswerLimits {
  /** Answers that are made at the same time. */
  atOnce: number;
  /** Bytes that are made, but not yet read by those who asked. */
  underWayBytes: number;
}

const MiB = 1024 * 1024;
/** What one of the largest answers takes while it is made, and some more. */
const MAKING_BYTES = 128 * MiB;
const COME_BACK_MS = 5_000;

const limitsOfThisProcess = (heapBytes = getHeapStatistics().heap_size_limit): AnswerLimits => ({
  atOnce: Math.max(2, Math.min(32, Math.floor(heapBytes / MAKING_BYTES))),
  underWayBytes: Math.min(heapBytes / 4, 256 * MiB),
});

export function createAnswerRoom(limits: AnswerLimits = limitsOfThisProcess()): AnswerRoom {
  const waiting: (() => void)[] = [];
  const leaves = new WeakMap<FastifyReply['raw'], () => void>();
  let making = 0;
  let underWayBytes = 0;

  const place = (): Promise<void> | undefined => {
    if (making < limits.atOnce) return void making++;
    return new Promise((resolve) => waiting.push(resolve));
  };
  /** The place goes to whoever has waited longest. */
  const giveUpPlace = (): void => {
    const next = waiting.shift();
    if (next) next();
    else making -= 1;
  };

  return {
    async enter({ raw }) {
      await place();
      const leave = onceOnly(giveUpPlace);
      if (underWayBytes >= limits.underWayBytes) {
        leave();
        throw tooMuch();
      }
      leaves.set(raw, leave);
      // An answer that is never made, because its caller has gone or it failed on the way.
      raw.once('close', leave);
      if (raw.closed) leave();
    },
    onSend(_request, { raw }, payload, done) {
      leaves.get(raw)?.();
      if (typeof payload !== 'string') return done(null, payload);
      const bytes = Buffer.from(payload);
      underWayBytes += bytes.length;
      const sent = onceOnly(() => {
        underWayBytes -= bytes.length;
      });
      raw.once('close', sent);
      if (raw.closed) sent();
      done(null, bytes);
    },
  };
}

function onceOnly(deed: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) deed();
    isDone = true;
  };
}

const tooMuch = (): GleanerError =>
  new GleanerError('overloaded', 'Too much is on its way to callers who read slowly; results are not read now.', {
    retryAfterMs: COME_BACK_MS,
  });
