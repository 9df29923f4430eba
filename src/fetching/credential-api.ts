import { setMaxListeners } from 'node:events';
import { Pool } from 'undici';
import { GleanerError } from '../domain/errors.js';
import { isThisMachine } from '../domain/host-name.js';
import { retryAfterMs } from '../domain/retry-after.js';
import type { Secret } from '../domain/secret.js';
import type { Clock } from '../ports/clock.js';
import type { Credential } from '../ports/credentials.js';
import type { Log } from '../ports/telemetry.js';
import { unlessAborted } from './abort.js';
import { readCredential, ShapeFault } from './credential-answer.js';
import { readBody } from './http-body.js';
import { oneHeader } from './http-headers.js';

export interface CredentialApiOptions {
  /** Such as `https://api.example.com/api/v1`; `http:` only for this machine. */
  baseUrl: string;
  serviceKey: Secret;
  /** Further tries after the first. */
  maxRetries: number;
  clock: Clock;
  log: Log;
}

export interface CredentialApi {
  /** Never rejects: that there is none, or that nobody could say, are answers too. */
  ask(workspaceId: string, provider: string): Promise<Credential | GleanerError>;
  close(): Promise<void>;
}

/**
 * A refusal counts for so long: it protects the API from a batch of a thousand tasks whose workspace has nothing there,
 * and is short enough to notice soon when it has.
 */
export const FAILURE_FRESH_MS = 5_000;

const TRY_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 64 * 1024;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const CONNECTIONS = 8;

/** What one try came to. `again`: it may well go better next time. */
type Try =
  | { kind: 'answer'; answer: Credential | GleanerError }
  | { kind: 'again'; fault: string; pauseMs: number }
  | { kind: 'fault'; fault: string };

/**
 * Asks the backend. Nothing it says reaches a message or the log but its status: an error page may quote our key or the
 * very values we asked for, and so may the errors of the HTTP parser.
 */
export function createCredentialApi({
  baseUrl,
  serviceKey,
  maxRetries,
  clock,
  log,
}: CredentialApiOptions): CredentialApi {
  const base = checkedBase(baseUrl);
  const pool = new Pool(base.origin, {
    connections: CONNECTIONS,
    connect: { timeout: TRY_TIMEOUT_MS },
    headersTimeout: TRY_TIMEOUT_MS,
    bodyTimeout: TRY_TIMEOUT_MS,
  });
  const closing = new AbortController();
  // One listener for each pause under way.
  setMaxListeners(0, closing.signal);

  const tryOnce = async (path: string, provider: string): Promise<Try> => {
    const timeout = new AbortController();
    const cancelTimer = clock.after(TRY_TIMEOUT_MS, () => timeout.abort());
    try {
      // undici notices an abort only once it is connected; nobody shall wait for that.
      return await unlessAborted(exchange(path, provider, timeout.signal), timeout.signal);
    } catch (error) {
      const fault = timeout.signal.aborted ? 'did not answer in time' : `could not be reached${codeOf(error)}`;
      return { kind: 'again', fault, pauseMs: 0 };
    } finally {
      cancelTimer();
      // Ends what was left half read.
      timeout.abort();
    }
  };

  /** Rejects only where the connection failed. */
  const exchange = async (path: string, provider: string, signal: AbortSignal): Promise<Try> => {
    const headers = { 'x-service-key': serviceKey.reveal(), accept: 'application/json' };
    const { statusCode, headers: said, body } = await pool.request({ method: 'GET', path, headers, signal });
    if (statusCode !== 200) {
      // Not awaited: the status has said it all.
      void body.dump({ limit: MAX_BODY_BYTES }).catch(() => {});
      return refusal(statusCode, provider, retryAfterMs(oneHeader(said, 'retry-after'), clock.now()) ?? 0);
    }
    const limits = { maxBytes: MAX_BODY_BYTES, overflow: 'fail' as const, host: base.host };
    try {
      const bytes = await readBody(body, oneHeader(said, 'content-encoding'), limits);
      return { kind: 'answer', answer: readCredential(bytes, provider) ?? missing(provider) };
    } catch (error) {
      if (error instanceof ShapeFault) return { kind: 'fault', fault: `answered with ${error.message}` };
      if (error instanceof GleanerError) return { kind: 'fault', fault: 'answered with a body that is not read' };
      throw error;
    }
  };

  return {
    async ask(workspaceId, provider) {
      const path = pathOf(base, workspaceId, provider);
      if (path === null) return missing(provider);
      for (let tries = 1; ; tries += 1) {
        const outcome = await tryOnce(path, provider);
        if (outcome.kind === 'answer') return outcome.answer;
        if (outcome.kind === 'fault' || tries > maxRetries || closing.signal.aborted) {
          if (!closing.signal.aborted) log.warn({ provider, tries }, `the credential API ${outcome.fault}`);
          return unavailable(provider, outcome.fault);
        }
        const pauseMs = Math.max(FIRST_PAUSE_MS * 2 ** (tries - 1), outcome.pauseMs);
        await clock.wait(Math.min(pauseMs, LONGEST_PAUSE_MS), closing.signal);
      }
    },
    async close() {
      closing.abort();
      await pool.destroy();
    },
  };
}

/** Checked again, though the settings were: a key sent in the clear is not taken back. */
function checkedBase(baseUrl: string): URL {
  const url = new URL(baseUrl);
  const isLocal = url.protocol === 'http:' && isThisMachine(url.hostname);
  if (url.protocol === 'https:' || isLocal) return url;
  throw new TypeError('The credential API must be an https: URL, or http: on this machine.');
}

/** `null`: no workspace and no provider is called that. A dot or two would be taken for steps in the path. */
function pathOf(base: URL, workspaceId: string, provider: string): string | null {
  const names = [workspaceId, provider];
  if (names.some((name) => /^\.{0,2}$/.test(name) || LONE_SURROGATE.test(name))) return null;
  const [workspace, own] = names.map(encodeURIComponent);
  return `${base.pathname.replace(/\/+$/, '')}/workspaces/${workspace}/credentials/${own}`;
}

/** encodeURIComponent throws for these. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function refusal(status: number, provider: string, pauseMs: number): Try {
  if (status === 404) return { kind: 'answer', answer: missing(provider) };
  if (status === 401 || status === 403) return { kind: 'fault', fault: `refused our service key (${status})` };
  if (status === 429 || status >= 500) return { kind: 'again', fault: `answered ${status}`, pauseMs };
  return { kind: 'fault', fault: `answered ${status}` };
}

const missing = (provider: string): GleanerError =>
  new GleanerError('credentials_missing', `The workspace has no credentials for ${provider}.`);

const unavailable = (provider: string, fault: string): GleanerError =>
  new GleanerError('credentials_unavailable', `No credentials for ${provider}: the credential API ${fault}.`, {
    // Earlier, a task would lose an attempt to the same answer.
    retryAfterMs: FAILURE_FRESH_MS,
  });

/** The code alone: the errors themselves may carry a piece of the answer. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
}
