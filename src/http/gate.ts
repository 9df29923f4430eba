import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { GleanerError } from '../domain/errors.js';
import type { Door } from './door.js';
import { SECURITY_HEADERS } from './headers.js';
import { watchAnswer } from './request-log.js';
import { headerValues, type KeyCheck, presentedKey, serviceKeyCheck } from './service-key.js';

/** Routes that answer without a key. Everything else needs one, so a route nobody thought about is closed, not open. */
const OPEN_ROUTES = /^\/(health|readiness|metrics|openapi\.json|openapi\.yaml|docs(\/.*)?)$/;

export interface Gate {
  /** The hook of every routed request. */
  onRequest: onRequestHookHandler;
  /** The part that needs no route: gives the answer its id and headers, and says why the request is refused, if it is. */
  admit(request: FastifyRequest, reply: FastifyReply): GleanerError | undefined;
}

/** The questions asked of every request before a byte of its body is read, in this order. The first refusal is answered. */
export function createGate(door: Door): Gate {
  const isKnownKey = serviceKeyCheck(door.serviceKeys);
  const admit: Gate['admit'] = (request, reply) => {
    watchAnswer(door, request, reply);
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
    return hostRefusal(request) ?? keyRefusal(request, isKnownKey);
  };
  const onRequest: onRequestHookHandler = (request, reply, done) =>
    done(admit(request, reply) ?? pathRefusal(request) ?? methodRefusal(request, reply) ?? bodyRefusal(request));
  return { admit, onRequest };
}

/** Node keeps the first of two Host headers and is told not to insist on one: its own refusal has no envelope. */
function hostRefusal({ raw }: FastifyRequest): GleanerError | undefined {
  const hosts = headerValues(raw.rawHeaders, 'host').length;
  if (hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0')) return undefined;
  return new GleanerError('malformed_request', 'The request must have exactly one Host header.');
}

function keyRefusal(request: FastifyRequest, isKnownKey: KeyCheck): GleanerError | undefined {
  if (!needsKey(request) || isKnownKey(presentedKey(request.raw.rawHeaders))) return undefined;
  return new GleanerError('unauthorized', 'X-Service-Key is missing or not one of the configured keys.');
}

// The matched pattern decides, not the path: the router decodes `/%61pi/…`, and what it matched is what will run.
function needsKey({ is404, routeOptions, url }: FastifyRequest): boolean {
  if (!is404 && routeOptions.url !== undefined) return !OPEN_ROUTES.test(routeOptions.url);
  return /^[/\\]*api([/\\?#]|$)/i.test(decoded(url));
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

const pathRefusal = ({ is404 }: FastifyRequest): GleanerError | undefined =>
  is404 ? new GleanerError('not_found', 'No such path.') : undefined;

function methodRefusal({ routeOptions, method }: FastifyRequest, reply: FastifyReply): GleanerError | undefined {
  const { allow } = routeOptions.config;
  if (allow === undefined) return undefined;
  reply.header('allow', allow);
  return new GleanerError('method_not_allowed', `This path does not answer ${method}; it answers ${allow}.`);
}

/** A compressed body could be a bomb and another charset could hide anything: both are refused before they are read. */
function bodyRefusal({ method, headers }: FastifyRequest): GleanerError | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return new GleanerError('unsupported_media_type', 'Request bodies must not be compressed.');
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return undefined;
  return new GleanerError('unsupported_media_type', 'Only application/json bodies in UTF-8 are read.');
}
