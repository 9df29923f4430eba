import type { FastifyReply } from 'fastify';
import type { App } from './routes/types.js';

/**
 * Answers that may last as long as a job. Each gets a controller that aborts when its connection is over, for whatever
 * reason, and when the application closes: it would wait for them otherwise.
 */
export function openStreams(app: App): (reply: FastifyReply) => AbortController {
  const streams = new Set<AbortController>();
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const stream of streams) stream.abort();
  });
  return (reply) => {
    const stream = new AbortController();
    if (isClosing) stream.abort();
    streams.add(stream);
    reply.raw.once('close', () => {
      streams.delete(stream);
      stream.abort();
    });
    return stream;
  };
}
