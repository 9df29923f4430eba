import type { FastifyReply } from 'fastify';

/** Aborts when the connection closes before the answer is out. The request's own `close` comes when its body was read. */
export function hangUpSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort();
  });
  return gone.signal;
}
