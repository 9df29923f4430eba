import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { GleanerError } from '../domain/errors.js';
import type { Door } from './door.js';
import { failure } from './envelope.js';
import { SECURITY_HEADERS } from './headers.js';

/** How long a refused client may go on sending before it is cut off: an early close would destroy our answer in flight. */
const LINGER_MS = 500;

/** Answers what the HTTP parser itself refuses. There is no request yet, only a socket, so the bytes are written here. */
export function clientErrorAnswer(door: Door): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const refusal = refusalOf(error.code);
    const { status, code } = refusal;
    const requestId = door.newRequestId();
    door.logger.info({ request_id: requestId, status, code, reason: error.code }, 'Unreadable request refused');
    door.onRequest?.({ method: 'unknown', route: 'unreadable', status, durationMs: 0 });
    socket.end(rawAnswer(status, requestId, JSON.stringify(failure(refusal, requestId))));
    const forget = door.clock.after(LINGER_MS, () => socket.destroy());
    socket.once('close', forget);
  };
}

function refusalOf(parserCode: string | undefined): GleanerError {
  switch (parserCode) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GleanerError('request_timeout', 'The request was not received completely in time.');
    case 'HPE_HEADER_OVERFLOW':
      // One limit for the request line and the headers together: the parser does not say which was too long.
      return new GleanerError('headers_too_large', 'The URL and headers of the request are too large.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new GleanerError('payload_too_large', 'The chunk extensions of the request are too large.');
    default:
      return new GleanerError('malformed_request', 'The request could not be read as HTTP.');
  }
}

function rawAnswer(status: number, requestId: string, body: string): string {
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
