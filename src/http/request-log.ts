import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../domain/errors.js';
import type { Door } from './door.js';
import { traceBindings } from './trace.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request was refused, for its log line. */
    errorCode: ErrorCode | null;
  }
  interface FastifyContextConfig {
    /** On routes that only say 405: the methods that would have been answered. */
    allow?: string;
  }
}

/** What proxies log when the client went away before it had its answer. */
const CLIENT_GONE = 499;

const PROBED: ReadonlySet<string> = new Set(['/health', '/readiness', '/metrics']);

/**
 * One line and one metric per request, when its answer is out or its client is gone. `close` is the only event that
 * comes in both cases, and it comes exactly once. No headers, no body, no path: the pattern says which route it was.
 */
export function watchAnswer(door: Door, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = door.clock.mono();
  const { raw } = reply;
  raw.once('close', () => {
    const status = raw.writableEnded ? raw.statusCode : CLIENT_GONE;
    const route = (request.is404 ? undefined : request.routeOptions?.url) ?? 'unmatched';
    const durationMs = Math.round((door.clock.mono() - startedAt) * 1000) / 1000;
    const code = request.errorCode === null ? {} : { code: request.errorCode };
    const fields = {
      request_id: request.id,
      ...traceBindings(request.headers),
      method: request.method,
      route,
      status,
      duration_ms: durationMs,
      ...code,
    };
    // Probes and scrapers ask every few seconds, and all is well: that is no news.
    if (PROBED.has(route) && status < 500) door.logger.debug(fields, 'Request answered');
    else door.logger.info(fields, 'Request answered');
    door.onRequest?.({ method: request.method, route, status, durationMs });
  });
}
