import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answering, type CredentialBackend, startCredentialBackend } from '../support/credential-backend.js';
import { startHttpProxy, type TestProxy } from '../support/proxy-servers.js';
import { journeyEnv, SERVICE_KEY, type ServiceProcess, spawnService } from '../support/service.js';
import { type Site, startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';
import { SPELLINGS } from './canaries.js';

/**
 * The parts of log_secrecy.json that need the whole service, as an operator runs it: real processes, real Chromium, real
 * files. Log calls and metric labels with canaries in every place of a log entry are in logger.test.ts and metrics.test.ts.
 */
const { canaries } = JSON.parse(readFileSync(new URL('../vectors/log_secrecy.json', import.meta.url), 'utf8')) as {
  canaries: Record<
    | 'serviceKey'
    | 'proxyPassword'
    | 'credential'
    | 'webhookSecret'
    | 'cookie'
    | 'authHeader'
    | 'urlUserinfo'
    | 'queryToken',
    string
  >;
};

/** What of each is the secret. */
const coreOf = (canary: string): string => /CANARY-[\w-]+/.exec(canary)?.[0] ?? canary.replace(/^whsec_/, '');
const BACKEND_KEY = 'CANARY-backend-5150';

const directory = tempDir('secrecy');
const shown: Record<string, string> = {
  log: '',
  answers: '',
  metrics: '',
  files: '',
  'command lines': '',
  environments: '',
};
let site: Site;
let proxy: TestProxy;
let backend: CredentialBackend;

beforeAll(async () => {
  site = await startSite();
  proxy = await startHttpProxy({ auth: 'bob:another' });
  backend = await startCredentialBackend();
  backend.reply = answering(200, {
    cookies: { session: canaries.cookie },
    headers: { authorization: canaries.authHeader, 'x-api-key': canaries.credential },
  });
  await lifeOf(
    'credentials',
    {
      SCRAPER_SERVICE_KEY: `${SERVICE_KEY},${canaries.serviceKey}`,
      SCRAPER_BACKEND_API_URL: backend.baseUrl,
      SCRAPER_BACKEND_SERVICE_KEY: BACKEND_KEY,
      SCRAPER_CREDENTIAL_SITES: site.hosts.map((host) => `linkedin=${host}`).join(),
      SCRAPER_WEBHOOK_SECRET: canaries.webhookSecret,
    },
    async (service) => {
      await knock(service.address);
      await visits(service, 'linkedin_profile', [
        '/profile/1',
        '/status/500',
        '/blocked',
        '/status/401',

        '/reset',
      ]);
    },
  );
  await lifeOf(
    'proxy',
    { SCRAPER_PROXY_ENDPOINTS: `http://bob:${canaries.proxyPassword}@127.0.0.1:${proxy.port}` },
    (service) => visits(service, 'job_posting', ['/job/1']),
  );
}, 120_000);

afterAll(async () => {
  await Promise.all([site?.close(), proxy?.close(), backend?.close()]);
  directory.remove();
});

/** One start of the service, what happens in it, and everything it left behind. */
async function lifeOf(
  name: string,
  env: Record<string, string>,
  live: (service: ServiceProcess) => Promise<void>,
): Promise<void> {
  const own = tempDir(`secrecy-${name}`);
  const service = await spawnService(
    journeyEnv(own.path, {
      SCRAPER_LOG_LEVEL: 'trace',
      SCRAPER_TASK_TIMEOUT_SECONDS: '8',
      SCRAPER_NAVIGATION_TIMEOUT_MS: '4000',
      SCRAPER_MAX_ATTEMPTS: '1',
      ...env,
    }),
  );
  try {
    await live(service);
    for (const path of ['/health', '/api/v1/jobs', '/openapi.json'])
      shown.answers += await textOf(service.address + path);
    shown.metrics += await textOf(`${service.address}/metrics`);
    lookAtProcesses(service.child.pid!);
  } finally {
    // As after a crash: nothing had the time to tidy up.
    await service.kill('SIGKILL');
    shown.log += service.output.join('');
    for (const file of readdirSync(join(own.path, 'data'))) {
      shown.files += readFileSync(join(own.path, 'data', file), 'latin1');
    }
    own.remove();
  }
}

const textOf = async (url: string, init: RequestInit = {}): Promise<string> => {
  const response = await fetch(url, { ...init, headers: { 'x-service-key': SERVICE_KEY, ...init.headers } });
  return `${[...response.headers].join('\n')}\n${await response.text()}\n`;
};

/** Canaries in every part of a request. */
async function knock(address: string): Promise<void> {
  const { cookie, authHeader, urlUserinfo, queryToken, serviceKey, credential } = canaries;
  const target = { target_type: 'job_posting', target_url: site.url('/job/1'), workspace_id: 'ws' };
  const post = async (body: unknown, headers: Record<string, string> = {}): Promise<void> => {
    shown.answers += await textOf(`${address}/api/v1/scrape`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  };
  await post(target, { 'X-SERVICE-KEY': serviceKey, cookie, Authorization: authHeader, referer: queryToken });
  await post(target, { 'x-service-key': `${serviceKey}-wrong` });
  await post({ ...target, a: { b: { c: credential } }, list: [cookie], password: credential });
  await post({ ...target, requested_fields: { deep: [credential] }, target_url: urlUserinfo });
  await post({ ...target, target_url: urlUserinfo.replace('http:', 'HTTP:\\\\') });
  await post(`{"workspace_id": "${credential}", "target_type": "${cookie}`);
  await post({ ...target, callback_url: urlUserinfo });
  shown.answers += await textOf(`${address}/nowhere?access_token=${coreOf(queryToken)}`, { headers: { cookie } });
}

/** Every page by HTTP and in a browser, and what the service has to say about each. */
async function visits(service: ServiceProcess, targetType: string, paths: string[]): Promise<void> {
  const wished = paths.flatMap((path) => ['http', 'browser'].map((render) => ({ path, render })));
  await Promise.all(
    wished.map(async ({ path, render }, n) => {
      // Each on a domain of its own: none waits for a breaker that another one opened.
      const host = site.hosts[n % site.hosts.length];
      const target = { target_type: targetType, target_url: site.url(path, host), workspace_id: 'ws', render };
      const { body } = await service.post('/api/v1/scrape', target);
      const path_ = `/api/v1/scrape/${body.data.task_id}`;
      const done = await service.until(path_, (data) => data.completed_at !== null);
      shown.answers += JSON.stringify(done.body);
    }),
  );
}

/** What `ps` shows of the service and of all it started, and what Chromium was given. */
function lookAtProcesses(root: number): void {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = readProc(name, 'stat');
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isOurs = (pid: number): boolean => pid === root || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  for (const pid of [...parents.keys()].filter(isOurs)) {
    const commandLine = readProc(pid, 'cmdline');
    shown['command lines'] += commandLine;
    if (/chrom/.test(commandLine)) shown.environments += readProc(pid, 'environ');
  }
}

function readProc(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // It has ended meanwhile, or is not ours to look at.
    return '';
  }
}

describe('the canaries of log_secrecy.json', () => {
  it('were really there: sent to the site, the proxy and the credential API', () => {
    const credentialed = site.requests.filter(({ headers }) => headers.authorization === canaries.authHeader);
    expect(credentialed.length).toBeGreaterThanOrEqual(6);
    expect(credentialed[0]!.headers).toMatchObject({ 'x-api-key': canaries.credential });
    expect(credentialed[0]!.headers.cookie).toContain(canaries.cookie);
    const ways = credentialed.filter(({ path }) => path === '/profile/1').map(({ host }) => host.split(':')[0]);
    expect(new Set(ways), 'by HTTP and in the browser').toEqual(new Set(site.hosts.slice(0, 2)));
    expect(proxy.logins).toContain(`bob:${canaries.proxyPassword}`);
    expect(backend.requests[0]!.headers['x-service-key']).toBe(BACKEND_KEY);
  });

  const secrets = [...Object.values(canaries).map(coreOf), BACKEND_KEY, 'CANARY-wh-secret-00000000'];

  it.each(Object.keys(shown))('are not in the %s, in any spelling', (sink) => {
    const text = shown[sink]!.toLowerCase();
    expect(text.length).toBeGreaterThan(100);
    const found = secrets.flatMap((secret) =>
      Object.entries(SPELLINGS).flatMap(([name, spell]) => {
        const at = text.indexOf(spell(secret).toLowerCase());
        return at === -1 ? [] : [`${secret} (${name}): …${text.slice(Math.max(0, at - 80), at + 60)}…`];
      }),
    );
    expect(found).toEqual([]);
  });
});
