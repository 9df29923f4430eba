import { asGleanerError, GleanerError } from '../domain/errors.js';

/** How far the exchange had come: a broken connection means something else once the answer has begun. */
export type Phase = 'answer' | 'body';

/** What undici, the sockets or the decoders threw, as one of ours. */
export function transportError(cause: unknown, host: string, phase: Phase): GleanerError {
  if (cause instanceof GleanerError) return cause;
  const code = codeOf(cause);
  if (TIMEOUTS.has(code)) return new GleanerError('target_timeout', `${host} did not answer in time.`, { cause });
  if (phase === 'body') {
    return new GleanerError('body_truncated', `The answer of ${host} ended early or could not be read.`, { cause });
  }
  if (isTls(code)) {
    return new GleanerError('tls_failed', `No trusted TLS connection to ${host} (${code}).`, { cause });
  }
  // No cause: undici's parser error carries a piece of the answer.
  if (isNoHttp(cause)) return new GleanerError('connect_failed', `${host} did not answer in HTTP.`);
  if (NETWORK.has(code)) {
    return new GleanerError('connect_failed', `The connection to ${host} failed (${code}).`, { cause });
  }
  return asGleanerError(cause);
}

/**
 * Did a kept-alive connection close just as we used it? Then the server never saw the request, and nobody is to
 * blame. A connection that had brought bytes before was not a new one.
 */
export function wasStaleConnection(cause: unknown): boolean {
  if (codeOf(cause) !== 'UND_ERR_SOCKET') return false;
  return ((cause as { socket?: { bytesRead?: number } }).socket?.bytesRead ?? 0) > 0;
}

/** The code of a system, TLS or undici error; empty if it has none. */
export const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

const isNoHttp = (error: unknown): boolean =>
  codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW' || (error as Error | null)?.name === 'HTTPParserError';

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EPIPE',
  'EACCES',
  'EINVAL',
  'UND_ERR_SOCKET',
]);

const isTls = (code: string): boolean =>
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|CRL_|ERROR_IN_C|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|PATH_LENGTH)/.test(
    code,
  );
