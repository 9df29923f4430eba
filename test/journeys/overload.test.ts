import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Api, apiAt, journeyEnv, postingAt } from '../support/service.js';
import { startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';

interface Child extends Api {
  pid: number;
  end(): Promise<number | null>;
}

/** The service under a narrow limit: a command that ends in `node …` runs it. */
async function startUnder(command: string, env: Record<string, string>): Promise<Child> {
  const tsx = createRequire(import.meta.url).resolve('tsx');
  const child = spawn('/bin/sh', ['-c', command.replace('NODE', `exec ${process.execPath} --import ${tsx}`)], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk).slice(-20_000);
        const found = /"address":"([^"]+)"/.exec(output);
        if (found?.[1]) resolve(found[1]);
      });
    }
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${output}`)));
  });
  return {
    ...apiAt(address),
    pid: child.pid ?? 0,
    async end() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      return (await exited)[0] as number | null;
    },
  };
}

describe('a service with little heap', () => {
  it('refuses work before it runs out of memory, loses nothing, and is well afterwards', {
    timeout: 120_000,
  }, async () => {
    const directory = tempDir('little-heap');
    const site = await startSite();
    const env = journeyEnv(directory.path, {
      SCRAPER_MAX_QUEUE_DEPTH: '1000000',
      // The heap of an idle service is above this share of its limit, so the first look finds it full.
      SCRAPER_SHED_HEAP_PERCENT: '1',
    });
    const full = await startUnder('NODE --max-old-space-size=256 src/main.ts', env);
    const submit = (api: Api) => api.post('/api/v1/scrape/batch', { targets: [postingAt(site.url('/job/1'))] });
    await full.until('/health', (health) => (health.load as { shedding: string | null }).shedding === 'heap');
    const refused = await submit(full);
    expect(refused).toMatchObject({ status: 503, body: { meta: { code: 'overloaded', retryable: true } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await full.get('/readiness')).body.meta.code).toBe('overloaded');
    expect(await (await fetch(`${full.address}/metrics`)).text()).toMatch(/scraper_shed_total\{reason="heap"\} 1/);
    expect(await full.end()).toBe(0);

    const roomy = await startUnder('NODE --max-old-space-size=256 src/main.ts', {
      ...env,
      SCRAPER_SHED_HEAP_PERCENT: '85',
    });
    const accepted = await submit(roomy);
    expect(accepted.status).toBe(202);
    const done = await roomy.until(accepted.headers.get('location') ?? '', (job) => job.completed_at !== null);
    expect(done.body.data.status).toBe('completed');
    expect(await roomy.end()).toBe(0);
    await site.close();
    directory.remove();
  });
});

describe('a service that has no file descriptor left', () => {
  it('tries again what that fails, dies of nothing, and is well when they are free', { timeout: 120_000 }, async () => {
    const directory = tempDir('few-files');
    const site = await startSite();
    const env = journeyEnv(directory.path, { SCRAPER_MAX_ATTEMPTS: '10' });
    const api = await startUnder('ulimit -n 256; NODE src/main.ts', env);
    await api.until('/health', (health) => (health.browser_pool as { browsers: number }).browsers > 0);
    const targets = Array.from({ length: 100 }, (_, n) =>
      postingAt(site.url(`/slow?ms=300&n=${n}`, site.hosts[n % site.hosts.length])),
    );
    const opened = await api.post('/api/v1/scrape/batch', { targets });
    expect(opened.status).toBe(202);
    const { hostname, port } = new URL(api.address);
    const flood = Array.from({ length: 300 }, () => connect(Number(port), hostname).on('error', () => {}));
    const openFiles = (): number => readdirSync(`/proc/${api.pid}/fd`).length;
    await expect.poll(openFiles, { timeout: 10_000 }).toBeGreaterThanOrEqual(250);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const socket of flood) socket.destroy();

    const job = await api.until(opened.headers.get('location') ?? '', (data) => data.completed_at !== null);
    expect(job.body.data).toMatchObject({ status: 'completed', completed_tasks: 100 });
    const { body } = await api.get(`${opened.headers.get('location')}/results?limit=100`);
    expect(body.data.items.some((task: { attempts: number }) => task.attempts > 1)).toBe(true);
    expect(await api.end()).toBe(0);
    await site.close();
    directory.remove();
  });
});
