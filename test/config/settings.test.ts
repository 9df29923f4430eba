import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isChromiumSandboxed, loadSettings, SettingsError } from '../../src/config.js';
import { envName, SETTING_KEYS, SETTINGS, settingsTable } from '../../src/settings-table.js';

const faultsOf = (env: Record<string, string | undefined>) => {
  try {
    loadSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
};

describe('settings without any configuration', () => {
  it('are the documented defaults', () => {
    expect(loadSettings({})).toEqual({
      host: '127.0.0.1',
      port: 8001,
      serviceKey: [],
      logLevel: 'info',
      dataDir: './data',
      maxRequestBytes: 1_048_576,
      requestTimeoutSeconds: 30,
      gracefulShutdownSeconds: 30,
      backendApiUrl: null,
      backendServiceKey: null,
      webhookSecret: [],
      defaultWebhookUrl: null,
      credentialCacheTtlSeconds: 300,
      credentialMaxRetries: 3,
      credentialSites: [],
      browserEngine: 'shell',
      browserPoolSize: 5,
      browserPoolMax: 20,
      contextsPerBrowser: 6,
      browserPageLimit: 100,
      browserMaxAgeSeconds: 21_600,
      browserMemoryMb: 2048,
      navigationTimeoutMs: 30_000,
      chromiumPath: null,
      chromiumSandbox: 'auto',
      maxQueueDepth: 500,
      shedEventLoopMs: 500,
      shedHeapPercent: 85,
      shedFreeMemoryMb: 100,
      taskTimeoutSeconds: 60,
      maxAttempts: 3,
      httpConcurrency: 64,
      resultTtlHours: 72,
      caseRecordsPath: 'config/case-records.yaml',
      retrievalWindow: 50,
      retrievalStopAfterNoRecords: 0,
      retrievalTtlDays: 30,
      checkpointIntervalSeconds: 5,
      maxBodyBytes: 10_485_760,
      egressAllow: [],
      robotsAgent: 'gleaner',
      domainPoliciesPath: 'config/domain-policies.yaml',
      rateLimitTokens: 2,
      rateLimitIntervalSeconds: 10,
      cbWindowSize: 10,
      cbFailureThreshold: 5,
      cbCooldownSeconds: 120,
      proxyEndpoints: [],
      proxiesPath: 'config/proxies.yaml',
      proxyHealthCheckIntervalSeconds: 60,
      proxyHealthCheckUrl: null,
      proxyDomainCooldownSeconds: 30,
    });
  });

  it('cannot be changed afterwards, lists included', () => {
    const settings = loadSettings({ SCRAPER_EGRESS_ALLOW: '127.0.0.1' });
    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.isFrozen(settings.egressAllow)).toBe(true);
    expect(Object.isFrozen(settings.proxyEndpoints)).toBe(true);
  });

  it('take an empty variable for an unset one', () => {
    const empty = Object.fromEntries(SETTING_KEYS.map((key) => [envName(key), '']));
    expect(loadSettings(empty)).toEqual(loadSettings({}));
  });

  it('accept their own defaults when these are written out', () => {
    const written = SETTING_KEYS.filter((key) => SETTINGS[key].fallback !== null).map((key) => [
      envName(key),
      String(SETTINGS[key].fallback),
    ]);
    expect(loadSettings(Object.fromEntries(written))).toEqual(loadSettings({}));
  });
});

describe('reading a setting', () => {
  it('names the variable after the key', () => {
    expect(envName('cbFailureThreshold')).toBe('SCRAPER_CB_FAILURE_THRESHOLD');
    expect(envName('navigationTimeoutMs')).toBe('SCRAPER_NAVIGATION_TIMEOUT_MS');
  });

  it('splits lists at commas, trims them and skips empty places', () => {
    const settings = loadSettings({
      SCRAPER_SERVICE_KEY: 'first-key-1, second-key-2 ,',
      SCRAPER_EGRESS_ALLOW: '10.0.0.0/8,::1 , intranet.example,*.corp.example',
      SCRAPER_PROXY_ENDPOINTS: 'http://user:pass@proxy.example:8080,socks5://10.0.0.1:1080',
    });
    expect(settings.serviceKey).toEqual(['first-key-1', 'second-key-2']);
    expect(settings.egressAllow).toEqual(['10.0.0.0/8', '::1', 'intranet.example', '*.corp.example']);
    expect(settings.proxyEndpoints).toHaveLength(2);
    const sites = loadSettings({ SCRAPER_CREDENTIAL_SITES: 'linkedin=127.0.0.1, linkedin=linkedin.cn,x_1=::1' });
    expect(sites.credentialSites).toEqual(['linkedin=127.0.0.1', 'linkedin=linkedin.cn', 'x_1=::1']);
  });

  it('does not care about the case of a log level', () => {
    expect(loadSettings({ SCRAPER_LOG_LEVEL: 'WARN' }).logLevel).toBe('warn');
  });

  it('takes every whole number of the range as it is written, and nothing that only looks like one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_535 }), (port) => {
        expect(loadSettings({ SCRAPER_PORT: String(port) }).port).toBe(port);
      }),
    );
    for (const text of [
      '1e3',
      ' 5',
      '5 ',
      '0x10',
      '05',
      '+5',
      '-1',
      '5.0',
      '65536',
      'NaN',
      'Infinity',
      '８001',
      '9'.repeat(40),
    ]) {
      expect(faultsOf({ SCRAPER_PORT: text }), text).toHaveLength(1);
    }
  });

  it('turns the sandbox on unless we are root or were told otherwise', () => {
    const isOn = (value: string, uid: number) =>
      isChromiumSandboxed(loadSettings({ SCRAPER_CHROMIUM_SANDBOX: value }), uid);
    expect([isOn('auto', 0), isOn('auto', 1000), isOn('on', 0), isOn('off', 1000)]).toEqual([false, true, true, false]);
  });

  it.each([
    ['SCRAPER_HOST', '300.1.1.1'],
    ['SCRAPER_LOG_LEVEL', 'loud'],
    ['SCRAPER_CHROMIUM_SANDBOX', 'yes'],
    ['SCRAPER_EGRESS_ALLOW', '10.0.0.0/33'],
    ['SCRAPER_EGRESS_ALLOW', '127.0.0.1,10.0.0.300'],
    ['SCRAPER_EGRESS_ALLOW', 'http://intranet.example'],
    ['SCRAPER_ROBOTS_AGENT', 'gleaner/1.0'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin'],
    ['SCRAPER_CREDENTIAL_SITES', '=linkedin.cn'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin='],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin=www.linkedin.cn'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin=LinkedIn.cn'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin=https://linkedin.cn'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin=*.linkedin.cn'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin=127.0.0.1:80'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin=::ffff:127.0.0.1'],
    ['SCRAPER_CREDENTIAL_SITES', 'linkedin=a.example=b.example'],
    ['SCRAPER_BACKEND_API_URL', 'http://api.example/v1'],
    ['SCRAPER_DEFAULT_WEBHOOK_URL', 'ftp://hooks.example/'],
    ['SCRAPER_SERVICE_KEY', 'short'],
    ['SCRAPER_SERVICE_KEY', 'not visible ascii'],
  ])('refuses %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value }).map(({ key }) => key)).toContain(name);
  });
});

describe('faults', () => {
  it('are reported all at once with key, received value and wish', () => {
    const faults = faultsOf({
      SCRAPER_PORT: 'eighty',
      SCRAPER_LOG_LEVEL: 'loud',
      SCRAPER_BROWSER_POOL_SIZE: '10',
      SCRAPER_BROWSER_POOL_MAX: '4',
      SCRAPER_CB_FAILURE_THRESHOLD: '10',
    });
    expect(faults).toEqual([
      { key: 'SCRAPER_PORT', value: '"eighty"', wish: 'a whole number from 0 to 65535' },
      { key: 'SCRAPER_LOG_LEVEL', value: '"loud"', wish: 'one of trace, debug, info, warn, error, fatal, silent' },
      expect.objectContaining({ key: 'SCRAPER_BROWSER_POOL_MAX', value: '4' }),
      expect.objectContaining({ key: 'SCRAPER_CB_FAILURE_THRESHOLD', value: '10' }),
    ]);
    expect(new SettingsError(faults).message).toContain(
      '4 settings cannot be used:\n  SCRAPER_PORT: received "eighty", wished: a whole number from 0 to 65535\n',
    );
  });

  it('name a half-configured backend', () => {
    expect(faultsOf({ SCRAPER_BACKEND_API_URL: 'https://api.example' })[0]?.key).toBe('SCRAPER_BACKEND_SERVICE_KEY');
    expect(faultsOf({ SCRAPER_BACKEND_SERVICE_KEY: 'backend-key' })[0]?.key).toBe('SCRAPER_BACKEND_API_URL');
  });

  it('do not repeat themselves: a clash with a setting that is already at fault is left out', () => {
    expect(faultsOf({ SCRAPER_BROWSER_POOL_SIZE: 'x', SCRAPER_BROWSER_POOL_MAX: '1' })).toHaveLength(1);
  });

  it('include variables that do not exist, and guess what was meant', () => {
    const [typo, alien] = faultsOf({ SCRAPER_PROT: '9000', SCRAPER_SOMETHING_ELSE_ALTOGETHER: '1' });
    expect(typo).toMatchObject({ key: 'SCRAPER_PROT', wish: 'a setting that exists (did you mean SCRAPER_PORT?)' });
    expect(alien?.wish).toBe('a setting that exists');
    expect(faultsOf({ SCRAPER: '1', PATH: '/bin', SCRAPER_UNSET: undefined })).toEqual([]);
  });

  it('never show a secret, neither a bad one nor one under a misspelt name', () => {
    const names = ['SERVICE_KEY', 'BACKEND_SERVICE_KEY', 'WEBHOOK_SECRET', 'SERVICE_KEYS', 'WEBHOK_SECRET'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.base64String({ minLength: 12 }), (name, secret) => {
        // The tab makes every one of them unusable.
        const faults = faultsOf({ [`SCRAPER_${name}`]: `\t${secret}\t,a\tb` });
        expect(faults.length).toBeGreaterThan(0);
        expect(JSON.stringify(faults) + new SettingsError(faults).message).not.toContain(secret);
      }),
    );
  });
});

describe('a password in a URL', () => {
  it('or a token in the path of a webhook is not shown', () => {
    const [fault] = faultsOf({ SCRAPER_DEFAULT_WEBHOOK_URL: 'hooks.example/in/t0ken' });
    expect(fault).toMatchObject({ key: 'SCRAPER_DEFAULT_WEBHOOK_URL', value: '(hidden)' });
  });

  it('is refused and not shown', () => {
    const [fault] = faultsOf({ SCRAPER_PROXY_HEALTH_CHECK_URL: 'https://user:s3cret@hooks.example/in' });
    expect(fault).toMatchObject({
      key: 'SCRAPER_PROXY_HEALTH_CHECK_URL',
      value: '"https://(hidden)@hooks.example/in"',
    });
  });
});

describe('the settings table', () => {
  it('has one row for every setting', () => {
    const rows = settingsTable().split('\n').slice(2);
    expect(rows).toHaveLength(SETTING_KEYS.length);
    expect(rows[1]).toBe(
      '| `SCRAPER_PORT` | `8001` | a whole number from 0 to 65535 | Port to listen on; 0 takes any free one. |',
    );
    for (const row of rows) expect(row.split(/(?<!\\)\|/), row).toHaveLength(6);
  });
});
