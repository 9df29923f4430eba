import { asGleanerError, type ErrorCode, GleanerError } from '../domain/errors.js';
import { retryAfterMs } from '../domain/retry-after.js';
import type { FetchRequest } from '../ports/fetcher.js';
import type { EgressGate } from './egress-proxy.js';
import { interception } from './http-connect.js';

/** What was visited, and through what: enough to say who is to blame. */
interface Visited {
  request: FetchRequest;
  gate: EgressGate;
  navigationTimeoutMs: number;
}

/** What Chromium or Playwright said, as one of ours. Only its first line: further down it may quote what the page wrote. */
export function asFetchError(error: unknown, visited: Visited): GleanerError {
  if (error instanceof GleanerError) return error;
  const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const name = /net::(ERR_[A-Z0-9_]+)/.exec(said)?.[1];
  if (name) return networkError(name, visited, error);
  if (/has been closed|(Target|Session|Connection) closed|(Page|Target) crashed/i.test(said)) {
    return new GleanerError('browser_crashed', 'The browser or its page died during the visit.', { cause: error });
  }
  return asGleanerError(error);
}

export const timedOut = (visited: Visited): GleanerError =>
  new GleanerError('target_timeout', `${hostOf(visited)} did not answer within ${visited.navigationTimeoutMs} ms.`);

const hostOf = ({ request }: Visited): string => new URL(request.url).host;

/** Chromium cannot know why its proxy did not let it through; the proxy does. */
function networkError(name: string, visited: Visited, cause: unknown): GleanerError {
  const refusal = visited.gate.refusalOf(visited.request.url) ?? visited.gate.lastRefusal();
  if (refusal && AT_THE_PROXY.test(name)) return refusal;
  const { proxy } = visited.request;
  if (proxy && name === 'ERR_CERT_AUTHORITY_INVALID') return interception(proxy.id, hostOf(visited));
  const [, code, what] = NETWORK_ERRORS.find(([pattern]) => pattern.test(name)) ?? OTHER;
  return new GleanerError(code, `${hostOf(visited)}: ${what} (${name}).`, { cause });
}

const AT_THE_PROXY = /^ERR_(TUNNEL|PROXY|EMPTY_RESPONSE|CONNECTION|SOCKS)/;

const NETWORK_ERRORS: [RegExp, ErrorCode, string][] = [
  [/^ERR_(CERT_|SSL_|BAD_SSL|TLS_|ECH_)/, 'tls_failed', 'the TLS connection is not acceptable'],
  // Chromium knows no other proxy than ours.
  [/^ERR_PROXY_/, 'egress_unavailable', 'our own way out does not answer'],
  [/^ERR_TOO_MANY_REDIRECTS$/, 'too_many_redirects', 'too many redirects'],
  [/^ERR_NAME_/, 'dns_not_found', 'the host name does not exist'],
  [/TIMED_OUT$/, 'target_timeout', 'no answer in time'],
  [/^ERR_(INCOMPLETE_|CONTENT_|INVALID_|HTTP2_)/, 'body_truncated', 'the answer ended early or could not be read'],
  [/^ERR_(UNSAFE_|DISALLOWED_|UNKNOWN_|BLOCKED_)/, 'egress_denied', 'the address may not be visited'],
  // Neither a page nor a download: an answer without a body, such as 204.
  [/^ERR_ABORTED$/, 'empty_page', 'the answer has no document'],
];
const OTHER = [null, 'connect_failed', 'the connection failed'] as const;

/** proxy-chain's own answers when a plain request got nowhere; no server on the web speaks so. */
const NOT_REACHED = 590;

/** The error an answer of 400 and above stands for; `null` below. */
export function answerError(
  visited: Visited,
  answer: { url: string; status: number; retryAfter: string | undefined },
  nowMs: number,
): GleanerError | null {
  const { status } = answer;
  if (status < 400) return null;
  const { host } = new URL(answer.url);
  if (status >= NOT_REACHED) {
    const unknown = new GleanerError('connect_failed', `The connection to ${host} was reset.`);
    return visited.gate.refusalOf(answer.url) ?? unknown;
  }
  const wait = retryAfterMs(answer.retryAfter, nowMs);
  const details = { httpStatus: status, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  return new GleanerError(codeFor(status), `${host} answered ${status}.`, details);
}

function codeFor(status: number): ErrorCode {
  if (status === 429) return 'rate_limited';
  return status < 500 ? 'target_client_error' : 'target_server_error';
}
