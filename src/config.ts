import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readCaseRecords } from './case-records.js';
import type { CaseDescription } from './domain/case-adapter.js';
import type { PolicyBook } from './domain/policy.js';
import { createPolicyBook } from './domain/policy.js';
import { readDomainPolicies } from './domain-policies.js';
import type { ProxyChoice } from './ports/fetcher.js';
import { readProxies } from './proxy-file.js';
import { ensureSecretFile } from './secret-file.js';
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
  cases: readonly CaseDescription[];
}

/** Settings, domain policies, proxies and case records, or one SettingsError that names everything wrong with any of them. */
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
  const { cases, faults: caseFaults } = readCaseRecords({
    path: settings.caseRecordsPath,
    isChosen: Boolean(env[envName('caseRecordsPath')]),
  });
  const all = [...faults, ...policies.faults, ...proxyFaults, ...caseFaults];
  if (all.length > 0) throw new SettingsError(all);
  return { settings, policies: createPolicyBook(policies.defaultPolicy, policies.domains), proxies, cases };
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
  const file = join(settings.dataDir, 'service-key');
  const make = () => randomBytes(32).toString('base64url');
  return { keys: ensureSecretFile({ file, make, ...SETTINGS.serviceKey }), file };
}

/** What webhooks are signed with, the newest first, and the file likewise. There is always one: no webhook leaves unsigned. */
export function webhookSecrets(settings: Pick<Settings, 'webhookSecret' | 'dataDir'>): {
  secrets: readonly string[];
  file: string | null;
} {
  if (settings.webhookSecret.length > 0) return { secrets: settings.webhookSecret, file: null };
  const file = join(settings.dataDir, 'webhook-secret');
  // As Standard Webhooks writes a secret, so that its libraries take the file's content as it is.
  const make = () => `whsec_${randomBytes(32).toString('base64')}`;
  return { secrets: ensureSecretFile({ file, make, ...SETTINGS.webhookSecret }), file };
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
  ];
}

/** A misspelt variable would silently do nothing. Its value stays hidden: it may be a secret under a wrong name. */
function unknownVariables(env: Environment): SettingFault[] {
  const known = SETTING_KEYS.map(envName);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== undefined && !known.includes(name))
    .map((name) => ({ key: name, value: HIDDEN, wish: `a setting that exists${didYouMean(name, known)}` }));
}
