import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PolicyBook } from './domain/policy.js';
import { createPolicyBook } from './domain/policy.js';
import { readDomainPolicies } from './domain-policies.js';
import type { ProxyChoice } from './ports/fetcher.js';
import { readProxies } from './proxy-file.js';
import { didYouMean, HIDDEN, type SettingFault, SettingsError, shown } from './settings-fault.js';
import {
  envName,
  PREFIX,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type Settings,
} from './settings-table.js';

export { type SettingFault, SettingsError } from './settings-fault.js';
export { type Settings, settingsTable } from './settings-table.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  settings: Settings;
  policies: PolicyBook;
  proxies: readonly ProxyChoice[];
}

/** Settings, domain policies and proxies, or one SettingsError that names everything wrong with any of them. */
export function loadConfig(env: Environment): Config {
  const { settings, faults } = readSettings(env);
  const policies = readDomainPolicies({
    path: settings.domainPoliciesPath,
    isChosen: Boolean(env[envName('domainPoliciesPath')]),
    fallback: {
      tokensPerInterval: settings.rateLimitTokens,
      intervalSeconds: settings.rateLimitIntervalSeconds,
    },
  });
  const { proxies, faults: proxyFaults } = readProxies({
    endpoints: settings.proxyEndpoints,
    variable: envName('proxyEndpoints'),
    path: settings.proxiesPath,
    isChosen: Boolean(env[envName('proxiesPath')]),
  });
  const all = [...faults, ...policies.faults, ...proxyFaults];
  if (all.length > 0) throw new SettingsError(all);
  return { settings, policies: createPolicyBook(policies.defaultPolicy, policies.domains), proxies };
}

/** The settings alone, frozen. Throws one SettingsError for all faults. */
export function loadSettings(env: Environment): Settings {
  const { settings, faults } = readSettings(env);
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

/** `auto` means on, except as root: Chromium refuses to start its sandbox there. */
export function isChromiumSandboxed(settings: Pick<Settings, 'chromiumSandbox'>, uid = process.getuid?.()): boolean {
  return settings.chromiumSandbox === 'on' || (settings.chromiumSandbox === 'auto' && uid !== 0);
}

/** The keys callers may use, and the file they are in when they were not configured: a log may name that, never a key. */
export function serviceKeys(settings: Pick<Settings, 'serviceKey' | 'dataDir'>): {
  keys: readonly string[];
  file: string | null;
} {
  if (settings.serviceKey.length > 0) return { keys: settings.serviceKey, file: null };
  return ensureServiceKey(settings.dataDir);
}

/** Makes `<dataDir>/service-key` unless it is there, and answers what is in it. Starts at the same time agree on one key. */
export function ensureServiceKey(dataDir: string): { keys: readonly string[]; file: string } {
  const file = join(dataDir, 'service-key');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const text = readIfThere(file) ?? writeOnce(file, `${randomBytes(32).toString('base64url')}\n`);
  const keys = SETTINGS.serviceKey.read(text.trim());
  if (keys && keys.length > 0) return { keys, file };
  throw new SettingsError([{ key: file, value: HIDDEN, wish: `${SETTINGS.serviceKey.wish}, or no such file` }]);
}

/** Reads every row; a row at fault keeps its default, so that checks that need other rows can still be made. */
function readSettings(env: Environment): { settings: Settings; faults: SettingFault[] } {
  const faults: SettingFault[] = [];
  const values = SETTING_KEYS.map((key) => {
    const setting: Setting<unknown> = SETTINGS[key];
    const text = env[envName(key)];
    // Empty counts as unset: that is what `VAR=${VAR:-}` in a compose file gives.
    if (text === undefined || text === '') return [key, setting.fallback] as const;
    const value = setting.read(text);
    if (value === undefined) faults.push(fault(key, text));
    return [key, value === undefined ? setting.fallback : value] as const;
  });
  const settings = Object.freeze(Object.fromEntries(values)) as Settings;
  const faulty = new Set(faults.map(({ key }) => key));
  // A clash with a row that is already at fault would only be noise.
  faults.push(...clashes(settings).filter(({ key, with: other }) => !faulty.has(key) && !faulty.has(other)));
  faults.push(...unknownVariables(env));
  return { settings, faults };
}

function fault(key: SettingKey, text: string): SettingFault {
  const { isSecret, wish } = SETTINGS[key];
  // A URL may carry a password where none is wished; that is a reason to refuse it, not to print it.
  const harmless = text.replace(/\/\/[^/]*@/g, `//${HIDDEN}@`);
  return { key: envName(key), value: isSecret ? HIDDEN : shown(harmless), wish };
}

/** Values that are good alone but not together. */
function clashes(s: Settings): (SettingFault & { with: string })[] {
  const clash = (isFine: boolean, key: SettingKey, other: SettingKey, wish: string) =>
    isFine
      ? []
      : [{ key: envName(key), value: SETTINGS[key].isSecret ? HIDDEN : shown(s[key]), wish, with: envName(other) }];
  return [
    ...clash(
      s.browserPoolMax >= s.browserPoolSize,
      'browserPoolMax',
      'browserPoolSize',
      `at least SCRAPER_BROWSER_POOL_SIZE (${s.browserPoolSize})`,
    ),
    // It opens when failures exceed the threshold, which a window of the same size never allows.
    ...clash(
      s.cbFailureThreshold < s.cbWindowSize,
      'cbFailureThreshold',
      'cbWindowSize',
      `less than SCRAPER_CB_WINDOW_SIZE (${s.cbWindowSize})`,
    ),
    ...clash(
      s.navigationTimeoutMs <= s.taskTimeoutSeconds * 1000,
      'navigationTimeoutMs',
      'taskTimeoutSeconds',
      `at most SCRAPER_TASK_TIMEOUT_SECONDS (${s.taskTimeoutSeconds} s)`,
    ),
    ...clash(
      s.backendApiUrl === null || s.backendServiceKey !== null,
      'backendServiceKey',
      'backendApiUrl',
      'a value, because SCRAPER_BACKEND_API_URL has one',
    ),
    ...clash(
      s.backendServiceKey === null || s.backendApiUrl !== null,
      'backendApiUrl',
      'backendServiceKey',
      'a value, because SCRAPER_BACKEND_SERVICE_KEY has one',
    ),
    ...clash(
      s.defaultWebhookUrl === null || s.webhookSecret !== null,
      'webhookSecret',
      'defaultWebhookUrl',
      'a value, because SCRAPER_DEFAULT_WEBHOOK_URL has one',
    ),
  ];
}

/** A misspelt variable would silently do nothing. Its value stays hidden: it may be a secret under a wrong name. */
function unknownVariables(env: Environment): SettingFault[] {
  const known = SETTING_KEYS.map(envName);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== undefined && !known.includes(name))
    .map((name) => ({ key: name, value: HIDDEN, wish: `a setting that exists${didYouMean(name, known)}` }));
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** All or nothing, and the first writer wins: a link cannot replace what is there. Answers what the file holds. */
function writeOnce(file: string, text: string): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
    linkSync(draft, file);
    return text;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return readFileSync(file, 'utf8');
    // Some mounted volumes know no hard links; there a rename must do.
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
    renameSync(draft, file);
    return text;
  } finally {
    closeSync(handle);
    rmSync(draft, { force: true });
  }
}

const isCode = (error: unknown, ...codes: string[]) =>
  codes.includes((error as NodeJS.ErrnoException | null)?.code ?? '');
