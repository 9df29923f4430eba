import { isIP } from 'node:net';
import { BROWSER_ENGINES } from './domain/browser-engine.js';
import { hostNamed, isThisMachine } from './domain/host-name.js';
import { domainOfHost } from './domain/registrable-domain.js';
import { parseEgressAllow } from './domain/target-url.js';
import { webhookSecretFault } from './domain/webhook-signature.js';
import { ENDPOINT_WISH } from './proxy-file.js';

/**
 * One row of the table. `read` answers the value, or `undefined` where the text is not what is wished.
 * An unset or empty variable never reaches it: that is `fallback`.
 */
export interface Setting<T> {
  readonly fallback: T;
  readonly wish: string;
  readonly about: string;
  readonly isSecret: boolean;
  read(text: string): T | undefined;
}

const MiB = 1024 * 1024;
const HOUR = 3600;

/** Every setting there is. The variable's name follows from the key: `browserPoolSize` is SCRAPER_BROWSER_POOL_SIZE. */
export const SETTINGS = {
  // The service itself.
  host: host('127.0.0.1', 'Address to listen on. Anything but loopback opens the service to the network.'),
  port: whole(8001, [0, 65535], 'Port to listen on; 0 takes any free one.'),
  serviceKey: keys(
    'Keys accepted in `X-Service-Key`; several during a rotation. Without one a random key is made once.',
  ),
  logLevel: oneOf('info', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'Least severe level logged.'),
  dataDir: path('./data', 'Where the database and what is generated once (service key, webhook secret) live.'),
  maxRequestBytes: whole(MiB, [1024, 64 * MiB], 'Largest request body accepted.'),
  requestTimeoutSeconds: whole(30, [1, 600], 'How long a request may take to arrive completely.'),
  gracefulShutdownSeconds: whole(30, [0, 600], 'How long running tasks may go on after SIGTERM.'),

  // The backend we answer to.
  backendApiUrl: optional(url('https:'), 'Base URL of the credential API; https, or http on this machine.'),
  backendServiceKey: optional(secretText, 'Key sent to the credential API.', { isSecret: true }),
  webhookSecret: list(
    isWebhookSecret,
    'secrets of at least 8 characters, which are base64 where they follow `whsec_`',
    'Secrets that sign webhooks, newest first; several during a rotation: all sign. Without one a random one is made once.',
    { isSecret: true },
  ),
  // Path and query may be the receiver's password.
  defaultWebhookUrl: optional(url('http:', 'https:'), 'Told about finished work that names no `callback_url`.', {
    isSecret: true,
  }),
  credentialCacheTtlSeconds: whole(300, [0, 24 * HOUR], 'How long a fetched credential is reused.'),
  credentialMaxRetries: whole(3, [0, 10], 'Further tries when the credential API cannot be reached.'),
  credentialSites: list(
    isCredentialSite,
    '`provider=domain`, each domain as it is registered or an IP address',
    "Sites that get to see a provider's credentials, beside its own (linkedin.com).",
  ),

  // Browsers.
  browserEngine: oneOf(
    'shell',
    BROWSER_ENGINES,
    'Headless shell for speed, or full Chromium, made lean, for fidelity. A domain policy may demand one (`browser_engine`).',
  ),
  browserPoolSize: whole(
    5,
    [1, 100],
    'Browser visits that run at once: fewer while processors or memory are short, more while visits wait and processors are idle.',
  ),
  browserPoolMax: whole(20, [1, 100], 'Browser visits that run at once, at most; at least the size.'),
  contextsPerBrowser: whole(
    6,
    [1, 50],
    'Pages that share one browser, each in a context of its own. For more of them another browser is launched.',
  ),
  browserPageLimit: whole(100, [1, 100_000], 'Pages after which a browser is replaced.'),
  browserMaxAgeSeconds: whole(6 * HOUR, [10, 7 * 24 * HOUR], 'Age after which a browser is replaced.'),
  browserMemoryMb: whole(
    2048,
    [64, MiB],
    'Memory one browser with all its processes may take. Nearing it, it gets no new visits; over it, it is ended.',
  ),
  navigationTimeoutMs: whole(30_000, [100, 600_000], 'How long one page may take to load.'),
  chromiumPath: optional(
    anyPath,
    'Chromium to use, of whatever engine. Without it: one managed by Playwright, else one on the PATH.',
  ),
  chromiumSandbox: oneOf('auto', ['auto', 'on', 'off'], "Chromium's own sandbox; `auto` is on unless we run as root."),

  // Tasks and their queue.
  maxQueueDepth: whole(500, [1, 10_000_000], 'Tasks that may wait; beyond it new work is answered 503.'),
  shedEventLoopMs: whole(
    500,
    [0, 60_000],
    'New work is answered 503 while the event loop is this late; 0: however late.',
  ),
  shedHeapPercent: whole(85, [0, 100], "The same while this much of V8's heap limit is in use; 0: however much."),
  shedFreeMemoryMb: whole(
    100,
    [0, MiB],
    'The same while the machine, or the container, has less memory left than this; 0: however little.',
  ),
  taskTimeoutSeconds: whole(60, [1, HOUR], 'How long one visit may take, everything included.'),
  maxAttempts: whole(3, [1, 10], 'Visits a task gets before it fails.'),
  httpConcurrency: whole(64, [1, 1000], 'Visits without a browser that run at once; a site that hangs holds up to 4.'),
  resultTtlHours: whole(72, [1, 24 * 365], 'How long finished tasks and jobs are kept.'),

  // Retrieval.
  caseRecordsPath: path('config/case-records.yaml', 'Registers of cases; see `config/case-records.example.yaml`.'),
  retrievalWindow: whole(
    50,
    [1, 10_000],
    'Cases of one run that are queued or visited at once; the others wait unplanned.',
  ),
  retrievalStopAfterNoRecords: whole(
    0,
    [0, 100_000],
    'Cases in a row without a record after which a run ends early, unless it says otherwise; 0 is never.',
  ),
  retrievalTtlDays: whole(30, [1, 3650], 'How long the files of a run (records, pages, audit, checkpoint) are kept.'),
  checkpointIntervalSeconds: whole(
    5,
    [1, HOUR],
    'Least time between two checkpoint files of a run; more where writing one takes long.',
  ),

  // Fetching.
  maxBodyBytes: whole(10 * MiB, [1024, 512 * MiB], 'Largest page read, after decompression.'),
  egressAllow: list(
    egressException,
    'host names, `*.` suffixes, IP addresses or CIDR ranges',
    'Non-public targets that may be reached.',
  ),
  robotsAgent: text('gleaner', /^[A-Za-z_-]{1,64}$/, 'letters, `-` and `_`', 'Our name when reading robots.txt.'),
  domainPoliciesPath: path('config/domain-policies.yaml', 'Limits and manners per domain.'),

  // Rate limit of a domain without a policy of its own.
  rateLimitTokens: whole(2, [1, 10_000], 'Visits of one domain in an interval.'),
  rateLimitIntervalSeconds: whole(10, [1, 24 * HOUR], 'Length of that interval.'),

  // Circuit breaker of a domain.
  cbWindowSize: whole(10, [2, 1000], 'Answers of a domain that are looked back on.'),
  cbFailureThreshold: whole(5, [1, 999], 'The breaker opens when more than this many of them failed.'),
  cbCooldownSeconds: whole(120, [1, 24 * HOUR], 'How long an open breaker waits before it probes.'),

  // Proxies.
  // Judged one by one where the proxies are read, so that a fault can name the entry.
  proxyEndpoints: list(() => true, ENDPOINT_WISH, 'Upstream proxies.', { isSecret: true }),
  proxiesPath: path('config/proxies.yaml', 'More of them, in a file; see `config/proxies.example.yaml`.'),
  proxyHealthCheckIntervalSeconds: whole(60, [1, HOUR], 'How often an unhealthy proxy is tried again.'),
  proxyHealthCheckUrl: optional(
    url('http:', 'https:'),
    'Fetched through a proxy to try it out. Without it only the proxy itself is spoken to.',
  ),
  proxyDomainCooldownSeconds: whole(30, [0, HOUR], 'How long a proxy is not used again for the same domain.'),
} as const;

export type SettingKey = keyof typeof SETTINGS;

export type Settings = {
  readonly [K in SettingKey]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never;
};

export const PREFIX = 'SCRAPER_';

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

export const envName = (key: SettingKey): string => PREFIX + key.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase();

/** The README's table, without the markers around it. */
export function settingsTable(): string {
  const rows = SETTING_KEYS.map((key) => {
    const { fallback, wish, about } = SETTINGS[key] as Setting<unknown>;
    return `| \`${envName(key)}\` | ${shownDefault(fallback)} | ${wish.replaceAll('|', '\\|')} | ${about} |`;
  });
  return ['| variable | default | accepts | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

const shownDefault = (fallback: unknown) =>
  fallback === null || (Array.isArray(fallback) && fallback.length === 0) ? 'none' : `\`${fallback}\``;

// The kinds of settings. A kind is how to read a text and how to say what is wished.

interface Reading<T> {
  wish: string;
  read(text: string): T | undefined;
}

function whole(fallback: number, [min, max]: [number, number], about: string): Setting<number> {
  const read = (text: string) => {
    // Strict on purpose: Number() would take '', ' 5', '0x10' and '1e3'.
    const value = /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  return { fallback, wish: `a whole number from ${min} to ${max}`, about, isSecret: false, read };
}

function oneOf<const T extends string>(fallback: T, choices: readonly T[], about: string): Setting<T> {
  const read = (text: string) => choices.find((choice) => choice === text.toLowerCase());
  return { fallback, wish: `one of ${choices.join(', ')}`, about, isSecret: false, read };
}

function text(fallback: string, pattern: RegExp, wish: string, about: string): Setting<string> {
  return { fallback, wish, about, isSecret: false, read: (value) => (pattern.test(value) ? value : undefined) };
}

function path(fallback: string, about: string): Setting<string> {
  return { fallback, about, isSecret: false, ...anyPath() };
}

function host(fallback: string, about: string): Setting<string> {
  const read = (value: string) => (isHost(value) ? value : undefined);
  return { fallback, wish: 'an IP address or a host name', about, isSecret: false, read };
}

function optional<T>(kind: () => Reading<T>, about: string, { isSecret = false } = {}): Setting<T | null> {
  return { fallback: null, about, isSecret, ...kind() };
}

/** Comma-separated and trimmed; empty places are skipped, so that a trailing comma does no harm. */
function list(
  item: (text: string) => boolean,
  items: string,
  about: string,
  { isSecret = false } = {},
): Setting<readonly string[]> {
  const read = (value: string) => {
    const parts = splitList(value);
    return parts.every(item) ? Object.freeze(parts) : undefined;
  };
  return { fallback: Object.freeze([]), wish: `a comma-separated list of ${items}`, about, isSecret, read };
}

function keys(about: string): Setting<readonly string[]> {
  return list((key) => /^[\x21-\x7e]{8,256}$/.test(key), 'keys of 8 to 256 visible ASCII characters', about, {
    isSecret: true,
  });
}

const splitList = (value: string) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function anyPath(): Reading<string> {
  return { wish: 'a path', read: (value) => (value.includes('\0') ? undefined : value) };
}

function secretText(): Reading<string> {
  const read = (value: string) => (value.length >= 8 && value.trim() === value ? value : undefined);
  return { wish: 'at least 8 characters, no white space around them', read };
}

/** The prefix is no part of the secret, so it does not count. Control characters are what a wrong file holds. */
function isWebhookSecret(value: string): boolean {
  const isLongEnough = /^[^\p{Cc}\ufffd]{8,}$/u.test(value.replace(/^whsec_/, ''));
  return isLongEnough && webhookSecretFault(value) === null;
}

/** Without `http:` among the protocols it is still good for this machine, where nobody can listen in. */
function url(...protocols: string[]): () => Reading<string> {
  const read = (value: string) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (!parsed || parsed.username || parsed.password) return undefined;
    const isLocal = parsed.protocol === 'http:' && isThisMachine(parsed.hostname);
    return protocols.includes(parsed.protocol) || isLocal ? value : undefined;
  };
  const schemes = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return () => ({ wish: `an ${schemes} URL without user name and password`, read });
}

/** Spelt as the visit will spell it; `www.` before it would match nothing. */
function isCredentialSite(value: string): boolean {
  const [provider = '', domain = '', ...more] = value.split('=');
  const isDomain = hostNamed(domain) === domain && domainOfHost(domain) === domain;
  return /^[a-z0-9_-]{1,64}$/.test(provider) && isDomain && more.length === 0;
}

function egressException(value: string): boolean {
  // Digits and dots that are no address are a mistyped one, not a host.
  if (/^[\d.]+$/.test(value) && isIP(value) === 0) return false;
  try {
    parseEgressAllow([value]);
    return true;
  } catch {
    return false;
  }
}

function isHost(value: string): boolean {
  if (isIP(value) !== 0) return true;
  return /^(?!-)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(value) && !/^[\d.]+$/.test(value) && value.length <= 253;
}
