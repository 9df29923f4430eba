import { parseDocument, stringify } from 'yaml';
import { BROWSER_ENGINES } from './domain/browser-engine.js';
import { hostNamed } from './domain/host-name.js';
import { createPolicyBook, DEFAULT_POLICY, type DomainPolicy } from './domain/policy.js';
import { didYouMean, type SettingFault, shown } from './settings-fault.js';
import { type FileChoice, isMap, readSettingsFile } from './settings-file.js';

/** What a policy file says: only what is written there, so that the rest can come from the default. */
export interface PolicyFile {
  /** The entry called `default`. */
  base: Partial<DomainPolicy>;
  domains: Map<string, Partial<DomainPolicy>>;
}

interface Reading extends FileChoice {
  /** What holds where neither the domain nor the file's `default` says anything. */
  fallback: Partial<DomainPolicy>;
}

interface LoadedPolicies {
  defaultPolicy: DomainPolicy;
  domains: Map<string, Partial<DomainPolicy>>;
  faults: SettingFault[];
}

/** Reads the file; never throws. Without a file at the usual place the built-in manners hold for everybody. */
export function readDomainPolicies({ path, isChosen, fallback }: Reading): LoadedPolicies {
  const { text, faults: unread } = readSettingsFile({ path, isChosen });
  const { file, faults } = parseDomainPolicies(text, path);
  const defaultPolicy = { ...DEFAULT_POLICY, ...fallback, ...file.base };
  faults.push(...unread, ...delayFaults(defaultPolicy, file.domains, path));
  return { defaultPolicy, domains: file.domains, faults };
}

/** The file's text as policies, with a fault for everything that is not as it should be. `source` names it in the faults. */
export function parseDomainPolicies(text: string, source: string): { file: PolicyFile; faults: SettingFault[] } {
  const faults: SettingFault[] = [];
  const file: PolicyFile = { base: {}, domains: new Map() };
  const report = (path: string[], value: unknown, wish: string) => {
    faults.push({ key: path.length > 0 ? `${source}: ${path.join('.')}` : source, value: shown(value), wish });
  };

  const document = parseDocument(text, { prettyErrors: true });
  if (document.errors.length > 0) {
    for (const error of document.errors) report([], error.message.split('\n')[0], 'valid YAML');
    return { file, faults };
  }
  const top: unknown = document.toJS() ?? {};
  if (!isMap(top)) report([], top, 'a map with the key `domains`');
  for (const [key, value] of Object.entries(isMap(top) ? top : {})) {
    if (key !== 'domains') report([key], value, 'only the key `domains` at the top');
    else if (value !== null && !isMap(value)) report([key], value, 'a map of domains');
    else readDomains(value ?? {}, file, report);
  }
  return { file, faults };
}

/** The same policies as YAML again: reading it gives back what was written. */
export function serializeDomainPolicies({ base, domains }: PolicyFile): string {
  const entries = [...(Object.keys(base).length > 0 ? [['default', base] as const] : []), ...domains];
  return stringify({ domains: Object.fromEntries(entries.map(([name, policy]) => [name, toWire(policy)])) });
}

type Report = (path: string[], value: unknown, wish: string) => void;

/** The keys of an entry: where each goes, what is wished, and whether a value is that. */
const FIELDS: Record<string, { key: keyof DomainPolicy; wish: string; isFine(value: unknown): boolean }> = {
  tokens_per_interval: whole('tokensPerInterval', 1, 10_000),
  interval_seconds: whole('intervalSeconds', 1, 86_400),
  min_interval_ms: whole('minIntervalMs', 0, 86_400_000),
  min_delay_ms: whole('minDelayMs', 0, 600_000),
  max_delay_ms: whole('maxDelayMs', 0, 600_000),
  allowed_hours: {
    key: 'allowedHours',
    wish: 'null, or `start` (0 to 23) and `end` (0 to 24) as UTC hours that differ',
    isFine: (value) => value === null || isWindow(value),
  },
  respect_robots_txt: { key: 'respectRobotsTxt', wish: 'true or false', isFine: (v) => typeof v === 'boolean' },
  robots_reason: {
    key: 'robotsReason',
    wish: 'a sentence, or null',
    isFine: (value) => value === null || (typeof value === 'string' && value.trim() !== ''),
  },
  max_concurrent: {
    key: 'maxConcurrent',
    wish: 'a whole number from 1 to 1000, or null',
    isFine: (value) => value === null || isWhole(value, 1, 1000),
  },
  browser_engine: {
    key: 'browserEngine',
    wish: `one of ${BROWSER_ENGINES.join(', ')}, or null`,
    isFine: (value) => value === null || BROWSER_ENGINES.some((engine) => engine === value),
  },
};

function readDomains(entries: Record<string, unknown>, file: PolicyFile, report: Report): void {
  for (const [name, entry] of Object.entries(entries)) {
    const path = ['domains', name];
    // With a port it is no host, but what was meant can be said.
    const host = hostNamed(name.replace(/^([^:]+):\d+$/, '$1'));
    if (name !== 'default' && host !== name) {
      report(path, name, `a domain, host or IP address without port or wildcard${host ? `, here: ${host}` : ''}`);
    }
    if (entry !== null && !isMap(entry)) {
      report(path, entry, 'a map of limits');
      continue;
    }
    const policy = readEntry(entry ?? {}, path, report);
    if (name === 'default') file.base = policy;
    else file.domains.set(name, policy);
  }
}

function readEntry(entry: Record<string, unknown>, path: string[], report: Report): Partial<DomainPolicy> {
  const policy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (!field) report([...path, name], value, `a key that exists${didYouMean(name, Object.keys(FIELDS))}`);
    else if (!field.isFine(value)) report([...path, name], value, field.wish);
    else policy[field.key] = value;
  }
  // Leaving robots.txt aside is a decision somebody must be able to answer for.
  if (policy.respectRobotsTxt === false && !policy.robotsReason) {
    report([...path, 'robots_reason'], entry.robots_reason, 'the reason why `respect_robots_txt` is false here');
  }
  return policy;
}

/** A delay range may be written half here and half in what the entry inherits, so it is judged as it will hold. */
function delayFaults(base: DomainPolicy, domains: PolicyFile['domains'], source: string): SettingFault[] {
  const book = createPolicyBook(base, domains);
  // Only where something is said about it: a fault of the default is told once.
  const own = [...domains].filter(([, entry]) => entry.minDelayMs !== undefined || entry.maxDelayMs !== undefined);
  const held: [string, DomainPolicy][] = own.map(([name]) => [name, book.forHost(name)]);
  return [['default', base] as const, ...held].flatMap(([name, { minDelayMs, maxDelayMs }]) => {
    if (minDelayMs <= maxDelayMs) return [];
    const key = `${source}: domains.${name}.max_delay_ms`;
    return [{ key, value: shown(maxDelayMs), wish: `at least min_delay_ms, which is ${minDelayMs} here` }];
  });
}

function toWire(policy: Partial<DomainPolicy>): Record<string, unknown> {
  const wire = Object.entries(FIELDS).map(([name, { key }]) => [name, policy[key]] as const);
  return Object.fromEntries(wire.filter(([, value]) => value !== undefined));
}

function whole(key: keyof DomainPolicy, min: number, max: number) {
  return { key, wish: `a whole number from ${min} to ${max}`, isFine: (value: unknown) => isWhole(value, min, max) };
}

const isWhole = (value: unknown, min: number, max: number) =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max;

function isWindow(value: unknown): boolean {
  if (!isMap(value) || Object.keys(value).sort().join() !== 'end,start') return false;
  return isWhole(value.start, 0, 23) && isWhole(value.end, 0, 24) && value.start !== value.end;
}
