import type { Server } from 'node:http';
import { type FastifyHttpOptions, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { MAX_HOST_LENGTH } from '../domain/host-name.js';
import { clientErrorAnswer } from './client-error.js';
import type { Door } from './door.js';
import { answerError } from './error-answer.js';
import type { Gate } from './gate.js';

/** A synchronous request may be silent for 120 s while its task runs; the socket must outlive that. */
const IDLE_SOCKET_MS = 150_000;
/** Longer than the 60 s after which common load balancers drop an idle connection: they should close first, not we. */
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** The longest parameter is a host name, with the dot that ends a fully qualified one; counted after decoding. */
const MAX_PARAM_LENGTH = MAX_HOST_LENGTH + 1;

export function serverOptions(door: Door, gate: Gate) {
  const { maxRequestBytes, requestTimeoutMs } = door.limits;
  return {
    loggerInstance: door.logger,
    // One line per request is written by `request-log.ts`.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    // Never the caller's: an id that somebody else chose is not unique.
    requestIdHeader: false,
    genReqId: () => door.newRequestId(),
    bodyLimit: maxRequestBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: IDLE_SOCKET_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // While stopping the engine refuses work with an envelope; Fastify's own 503 has none.
    return503OnClosing: false,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      // Node looks for slow requests only every 30 s unless told otherwise.
      connectionsCheckingInterval: Math.max(50, Math.min(5_000, requestTimeoutMs / 4)),
      // Node's own refusal of a missing Host has no envelope; the gate asks instead.
      requireHostHeader: false,
    },
    clientErrorHandler: clientErrorAnswer(door),
    // Requests whose path cannot even be routed pass no hook, so they are walked through the gate here.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      answerError(gate.admit(request, reply) ?? error, request, reply);
    },
  } satisfies FastifyHttpOptions<Server>;
}
