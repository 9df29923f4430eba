import type { FastifyReply, FastifyRequest } from 'fastify';
import { asGleanerError, type ErrorCode, GleanerError } from '../domain/errors.js';
import { failure, retryAfterSeconds } from './envelope.js';

/** Fastify's error handler: whatever was thrown, wherever, leaves as the envelope with the status of its code. */
export function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = translate(thrown, request);
  // Only what nobody foresaw, or what came from below with a cause, needs a line of its own beside the request's.
  if (error.status >= 500 && error.cause !== undefined) {
    request.log.error({ err: error.cause, code: error.code }, 'A request failed on our side');
  }
  return sendFailure(reply, error);
}

export function sendFailure(reply: FastifyReply, error: GleanerError, extra?: Record<string, unknown>): FastifyReply {
  const { request } = reply;
  request.errorCode = error.code;
  const retryAfter = retryAfterSeconds(error);
  if (retryAfter !== null) reply.header('retry-after', String(retryAfter));
  if (hasUnreadBody(request)) reply.header('connection', 'close');
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send(failure(error, request.id, extra));
}

/** What Fastify itself refuses, in our words. Its messages may quote the request, so none of them is passed on. */
const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'Only application/json bodies are read.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['malformed_request', 'The request body is empty; a JSON object is expected.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['malformed_request', 'The request body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_request', 'The request body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['malformed_request', 'The path of the request is not a valid URL path.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A path parameter of the request is too long.'],
  FST_ERR_NOT_FOUND: ['not_found', 'No such path.'],
};

function translate(thrown: unknown, { routeOptions }: FastifyRequest): GleanerError {
  if (thrown instanceof GleanerError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  const known = typeof code === 'string' ? FASTIFY_CODES[code] : undefined;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new GleanerError(
      'payload_too_large',
      `The request body is over the limit of ${routeOptions.bodyLimit} bytes.`,
    );
  }
  if (known !== undefined) return new GleanerError(known[0], known[1]);
  // The client went away while its body was read; there is rarely anybody left to read the answer.
  if (statusCode === 400 && code === 'ECONNRESET')
    return new GleanerError('malformed_request', 'The request could not be read.');
  return asGleanerError(thrown);
}

/**
 * An answer given before the body was read leaves that body on the wire. Node swallows a short one and keeps the
 * connection; one of unknown or excessive length would tie up the socket, so the connection ends with the answer.
 */
function hasUnreadBody(request: FastifyRequest): boolean {
  if (request.raw.complete) return false;
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > request.routeOptions.bodyLimit;
}
