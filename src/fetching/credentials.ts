import { LRUCache } from 'lru-cache';
import { GleanerError } from '../domain/errors.js';
import { Secret } from '../domain/secret.js';
import type { Credential, Credentials } from '../ports/credentials.js';
import { unlessAborted } from './abort.js';
import { type CredentialApiOptions, createCredentialApi, FAILURE_FRESH_MS } from './credential-api.js';

export interface CredentialsOptions extends CredentialApiOptions {
  /** How long a fetched credential is reused, counted from its arrival. */
  cacheTtlMs: number;
  /** How long a visit may still be using one that has left the cache. */
  inUseMs: number;
  /** Told of every value we come to know; the answer is called when nobody can be using it any more. */
  onSecret?: (secret: Secret) => () => void;
}

/** Also opens connections, which `close` ends; whoever still waits is told `credentials_unavailable`. */
export interface CredentialClient extends Credentials {
  close(): Promise<void>;
}

/** What the API came to say about one workspace and provider. */
interface Held {
  answer: Credential | GleanerError;
  /** Monotonic ms. */
  freshUntil: number;
  /** While nobody has heard the answer it stays good for those who left before it came: see UNHEARD_MS. */
  unheardUntil: number;
  /** It is out of the cache, or never was in it. */
  left(): void;
}

const MAX_HELD = 10_000;
/** Cookies and headers, all credentials together: each of them is looked for in every log line. */
const MAX_HELD_VALUES = 50_000;
/**
 * A task that must not hold a worker leaves before a slow answer and comes back for it. However short the TTL, it must
 * find it then, or it would ask, leave and come back for ever.
 */
const UNHEARD_MS = 30_000;

/** The credential API with a memory: see the port for what it promises. */
export function createCredentials(options: CredentialsOptions): CredentialClient {
  const { clock, cacheTtlMs } = options;
  const api = createCredentialApi(options);
  const watch = createSecretWatch(options);
  const underWay = new Map<string, Promise<Held>>();
  const held = new LRUCache<string, Held>({
    max: MAX_HELD,
    maxSize: MAX_HELD_VALUES,
    sizeCalculation: ({ answer }) => 1 + secretsOf(answer).length,
    dispose: (one) => one.left(),
  });

  const hold = (key: string, answer: Credential | GleanerError): Held => {
    const now = clock.mono();
    const freshMs = answer instanceof GleanerError ? FAILURE_FRESH_MS : cacheTtlMs;
    const forgetSoon = watch.tell(secretsOf(answer));
    const expire = (): void => {
      if (held.peek(key) === one) held.delete(key);
    };
    // A timer, and not only a look at the clock: secrets that nobody asks for again must not stay.
    const cancelTimer = clock.after(Math.max(freshMs, UNHEARD_MS), expire);
    const left = (): void => {
      cancelTimer();
      forgetSoon();
    };
    const one: Held = { answer, freshUntil: now + freshMs, unheardUntil: now + UNHEARD_MS, left };
    return one;
  };

  /** However many ask, one request goes out; it belongs to nobody, so nobody's abort ends it for the others. */
  const sharedAsk = (key: string, workspaceId: string, provider: string): Promise<Held> => {
    const running = underWay.get(key);
    if (running) return running;
    const asked = api.ask(workspaceId, provider).then((answer) => {
      const one = hold(key, answer);
      // Invalidated meanwhile: good for those who had asked before, not for those who ask now.
      if (underWay.get(key) === asked) {
        underWay.delete(key);
        held.set(key, one);
      } else one.left();
      return one;
    });
    underWay.set(key, asked);
    return asked;
  };

  const isGood = (one: Held): boolean => clock.mono() < one.freshUntil || clock.mono() < one.unheardUntil;

  return {
    async get(workspaceId, provider, signal) {
      signal.throwIfAborted();
      const key = JSON.stringify([workspaceId, provider]);
      const known = held.get(key);
      const one = known && isGood(known) ? known : await unlessAborted(sharedAsk(key, workspaceId, provider), signal);
      one.unheardUntil = 0;
      if (one.answer instanceof GleanerError) throw one.answer;
      return one.answer;
    },
    invalidate(workspaceId, provider, seen) {
      const key = JSON.stringify([workspaceId, provider]);
      // Fifty visits that were refused with the same old credential must not cost fifty new ones.
      if (seen && held.peek(key)?.answer !== seen) return;
      underWay.delete(key);
      held.delete(key);
    },
    async close() {
      await api.close();
      await Promise.all(underWay.values());
      held.clear();
      watch.close();
    },
  };
}

/** More than this many credentials that left the cache are not kept an eye on: the oldest go first. */
const MAX_LINGERING = 10_000;

/**
 * Tells of secrets as long as somebody may be using them. A visit goes on with its credential after that has left the
 * cache, and what it logs at its end must still be cleaned.
 */
function createSecretWatch({ onSecret, inUseMs, clock }: Pick<CredentialsOptions, 'onSecret' | 'inUseMs' | 'clock'>) {
  const lingering = new Set<() => void>();
  const timers = new Set<() => void>();

  const tell = (secrets: Secret[]): (() => void) => {
    if (!onSecret || secrets.length === 0) return () => {};
    const forgets = secrets.map((secret) => onSecret(secret));
    return function forgetSoon() {
      const forget = (): void => {
        cancelTimer();
        timers.delete(cancelTimer);
        lingering.delete(forget);
        for (const each of forgets.splice(0)) each();
      };
      const cancelTimer = clock.after(inUseMs, forget);
      timers.add(cancelTimer);
      lingering.add(forget);
      const [oldest] = lingering;
      if (lingering.size > MAX_LINGERING) oldest?.();
    };
  };
  /** From here on nothing is forgotten: the last lines of the log are cleaned, too. */
  const close = (): void => {
    for (const cancelTimer of timers) cancelTimer();
    timers.clear();
  };
  return { tell, close };
}

/** Every value, and of `Bearer x` also the `x`: it is what would stand alone somewhere else. */
function secretsOf(answer: Credential | GleanerError): Secret[] {
  if (answer instanceof GleanerError) return [];
  const headers = Object.values(answer.headers);
  const tokens = headers.flatMap((secret) => /^[A-Za-z]+ +(\S.*)$/.exec(secret.reveal())?.[1] ?? []);
  return [...answer.cookies.map(({ value }) => value), ...headers, ...tokens.map((token) => new Secret(token))];
}
