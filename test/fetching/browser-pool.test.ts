import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createFleet } from '../../src/fetching/browser-fleet.js';
import { openBlank } from '../../src/fetching/browser-page.js';
import { createBrowserPool } from '../../src/fetching/browser-pool.js';
import { commandLine } from '../../src/fetching/browser-process.js';
import { paperBrowser } from '../support/paper-browser.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { type Browsers, launchChromium, leftovers, processesNaming, startBrowsers, until } from './browser-kit.js';

let site: Site;
let browsers: Browsers | null = null;

beforeAll(async () => {
  site = await startSite();
});

afterEach(async () => {
  await browsers?.close();
  browsers = null;
});

afterAll(async () => {
  await site.close();
  expect(leftovers()).toEqual([]);
});

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe('a browser', () => {
  it('that has served its pages is replaced: another process serves the next one', async () => {
    browsers = await startBrowsers({ pageLimit: 3, size: 1, max: 1, contextsPerBrowser: 1 });
    const { pool, proxy, launched, telemetry } = browsers;
    const pids: number[] = [];
    for (let n = 1; n <= 4; n++) {
      // The last page of the first browser does not wait for the next one to start: that one is there already.
      if (n === 3) await until(() => pool.stats().browsers === 2);
      const slot = await pool.acquire();
      pids.push(slot.pid);
      await slot.openPage((newContext) => openBlank(newContext, proxy.url));
      await pool.release(slot);
    }
    expect(pids[2]).toBe(pids[0]);
    expect(pids[3]).not.toBe(pids[0]);
    expect(telemetry.retired).toEqual(['page_limit']);
    await until(() => !isAlive(pids[0]!));
    await until(() => !existsSync(launched[0]!.tempDir));
    expect(pool.stats()).toMatchObject({ pages_processed: 4, recycled_count: 1, browsers: 1, in_use: 0 });
    expect(pool.version()).toMatch(/^\d+\./);
  });

  it('opens nothing for a visit that is over', async () => {
    browsers = await startBrowsers({});
    const { pool, proxy } = browsers;
    const slot = await pool.acquire();
    await pool.release(slot);
    const late = slot.openPage((newContext) => openBlank(newContext, proxy.url));
    await expect(late).rejects.toMatchObject({ code: 'browser_crashed' });
    expect(pool.stats()).toMatchObject({ contexts_open: 0 });
  });

  it('that is too old is replaced on release', async () => {
    browsers = await startBrowsers({ maxAgeMs: 1 });
    const slot = await browsers.pool.acquire();
    await systemClock.wait(5);
    await browsers.pool.release(slot);
    expect(browsers.telemetry.retired).toEqual(['max_age']);
  });

  it('that is killed fails its visits as browser_crashed, and the pool fills up again', async () => {
    browsers = await startBrowsers({ size: 2, contextsPerBrowser: 2 });
    const { pool, launched, telemetry } = browsers;
    const visits = [browsers.fault(site.url('/hang?a')), browsers.fault(site.url('/hang?b'))];
    await until(() => site.requests.filter(({ path }) => path.startsWith('/hang?')).length === 2);
    const killedAt = performance.now();
    process.kill(launched[0]!.pid, 'SIGKILL');
    expect((await Promise.all(visits)).map(({ code }) => code)).toEqual(['browser_crashed', 'browser_crashed']);
    // Nobody sat out the ten seconds a navigation may take.
    expect(performance.now() - killedAt).toBeLessThan(5000);
    await until(() => pool.canServe() && pool.stats().in_use === 0);
    expect(telemetry.retired).toEqual(['crashed']);
    expect((await browsers.get(site.url('/job/1'))).html).toContain(jobFacts(1).title);
    await until(() => !existsSync(launched[0]!.tempDir));
  });

  it('outlives a renderer that is killed: only that page fails', async () => {
    browsers = await startBrowsers();
    const { pid } = browsers.launched[0]!;
    const renderers = (): number[] =>
      processesNaming('--type=renderer').filter((child) => groupOf(child) === groupOf(pid));
    const dying = browsers.fault(site.url('/drip?dying'), { waitFor: { selectors: ['#never'], timeoutMs: 10_000 } });
    await until(() => site.requests.some(({ path }) => path === '/drip?dying') && renderers().length > 0);
    await systemClock.wait(300);
    const killedAt = performance.now();
    for (const renderer of renderers()) process.kill(renderer, 'SIGKILL');
    expect(await dying).toMatchObject({ code: 'browser_crashed' });
    // Nobody sat out the ten seconds the selector was waited for.
    expect(performance.now() - killedAt).toBeLessThan(5000);
    expect((await browsers.get(site.url('/job/2'))).html).toContain(jobFacts(2).title);
    expect(browsers.launched.map((launched) => launched.pid)).toEqual([pid]);
  });

  it('that hangs gives its slot back within the time for closing, and is killed', async () => {
    // What its silence comes to by itself is the next one's matter.
    browsers = await startBrowsers({ closeTimeoutMs: 500, hungAfterMs: 60_000 });
    const { pool, launched, telemetry } = browsers;
    const controller = new AbortController();
    const visit = browsers.fault(site.url('/hang?stopped'), {}, controller.signal);
    await until(() => site.requests.some(({ path }) => path === '/hang?stopped'));
    process.kill(launched[0]!.pid, 'SIGSTOP');
    controller.abort(new GleanerError('task_timeout', 'Too long.'));
    expect(await visit).toMatchObject({ code: 'task_timeout' });
    await until(() => telemetry.retired.length > 0, 1500);
    expect(telemetry.retired).toEqual(['hung']);
    expect(pool.stats().in_use).toBe(0);
    await until(() => !isAlive(launched[0]!.pid) && !existsSync(launched[0]!.tempDir), 4000);
    expect((await browsers.get(site.url('/job/1'))).html).toContain(jobFacts(1).title);
  });
});

describe('a browser that hangs', () => {
  it('is noticed by itself: its visits fail as browser_crashed long before their own time is up', async () => {
    browsers = await startBrowsers({ size: 2, contextsPerBrowser: 2, closeTimeoutMs: 60_000, hungAfterMs: 2_000 });
    const { pool, launched, telemetry } = browsers;
    const visits = [browsers.fault(site.url('/hang?c')), browsers.fault(site.url('/hang?d'))];
    await until(() => site.requests.filter(({ path }) => /^\/hang\?[cd]/.test(path)).length === 2);
    const stoppedAt = performance.now();
    process.kill(launched[0]!.pid, 'SIGSTOP');
    expect((await Promise.all(visits)).map(({ code }) => code)).toEqual(['browser_crashed', 'browser_crashed']);
    // It is waited for two seconds; a navigation may take ten.
    expect(performance.now() - stoppedAt).toBeLessThan(6_000);
    expect(telemetry.retired).toEqual(['hung']);
    expect((await browsers.get(site.url('/job/1'))).html).toContain(jobFacts(1).title);
    await until(() => pool.stats().in_use === 0 && !existsSync(launched[0]!.tempDir));
  });
});

describe('the pool', () => {
  it('spreads slots over few browsers and rejects who waits too long', async () => {
    browsers = await startBrowsers({ size: 3, max: 3, contextsPerBrowser: 2, acquireTimeoutMs: 200 });
    const { pool } = browsers;
    await until(() => pool.stats().browsers === 2);
    const slots = [await pool.acquire(), await pool.acquire(), await pool.acquire()];
    expect(new Set(slots.map(({ pid }) => pid)).size).toBe(2);
    expect(pool.stats()).toMatchObject({ total: 3, available: 0, in_use: 3 });
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'pool_exhausted' });
    const waiting = pool.acquire();
    await pool.release(slots[0]!);
    await pool.release(await waiting);
    await pool.release(slots[1]!);
    await pool.release(slots[1]!);
    await pool.release(slots[2]!);
    expect(pool.stats()).toMatchObject({ total: 3, available: 3, in_use: 0, pages_processed: 4 });
  });

  it('forgets who no longer waits', async () => {
    browsers = await startBrowsers({ size: 1, max: 1 });
    const { pool } = browsers;
    const held = await pool.acquire();
    const controller = new AbortController();
    const impatient = pool.acquire(controller.signal);
    const patient = pool.acquire();
    controller.abort(new GleanerError('cancelled', 'Never mind.'));
    await expect(impatient).rejects.toMatchObject({ code: 'cancelled' });
    await pool.release(held);
    await pool.release(await patient);
    expect(pool.stats()).toMatchObject({ in_use: 0, total: 1 });
  });

  it('leaves no process and no file behind when it is shut down, in the middle of visits and launches', async () => {
    browsers = await startBrowsers({ size: 4, contextsPerBrowser: 2 });
    const { pool, proxy, launched } = browsers;
    const port = new URL(proxy.url).port;
    const profile = (await commandLine(launched[0]!.pid)).find((part) => part.startsWith('--user-data-dir='))!;
    const visit = browsers.fault(site.url('/hang?shutdown'));
    await until(() => site.requests.some(({ path }) => path === '/hang?shutdown'));
    process.kill(launched[0]!.pid, 'SIGSTOP');
    await pool.shutdown();
    expect((await visit).code).toBe('shutting_down');
    expect(processesNaming(`127.0.0.1:${port}`)).toEqual([]);
    expect(leftovers()).toEqual([]);
    expect(existsSync(profile.slice('--user-data-dir='.length))).toBe(false);
    expect(pool.canServe()).toBe(false);
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('starts without Chromium, tries again at a walking pace, and serves once there is one', async () => {
    browsers = await startBrowsers();
    const { proxy } = browsers;
    const telemetry = new QuietTelemetry();
    const attempts: number[] = [];
    const pool = createBrowserPool({
      size: 1,
      max: 1,
      contextsPerBrowser: 1,
      pageLimit: 100,
      maxAgeMs: 3_600_000,
      acquireTimeoutMs: 5000,
      closeTimeoutMs: 1000,
      hungAfterMs: 5_000,
      launch() {
        attempts.push(performance.now());
        return attempts.length < 3 ? Promise.reject(new Error('no such file')) : launchChromium(proxy.url);
      },
      clock: systemClock,
      onRetire: (reason) => telemetry.browserRetired(reason),
      log: telemetry.log,
    });
    await pool.start();
    expect(pool.canServe()).toBe(false);
    expect(pool.stats().available).toBe(0);
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'browser_unavailable' });
    await until(() => pool.canServe());
    // Node rounds the times of timers to whole milliseconds, and may be early by that.
    expect(attempts[1]! - attempts[0]!).toBeGreaterThan(990);
    expect(attempts[2]! - attempts[1]!).toBeGreaterThan(1990);
    await pool.release(await pool.acquire());
    await pool.shutdown();
  });
});

function groupOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2];
  } catch {
    return undefined;
  }
}

describe('a pool that rests without browsers', () => {
  it('launches again after it was given up while none could be launched', async () => {
    const clock = new VirtualClock();
    let canLaunch = false;
    let launches = 0;
    const telemetry = new QuietTelemetry();
    const refill = createFleet({
      contextsPerBrowser: 1,
      pageLimit: 100,
      maxAgeMs: 3_600_000,
      closeTimeoutMs: 1_000,
      hungAfterMs: 5_000,
      clock,
      log: telemetry.log,
      onRetire: () => undefined,
      launch: async () => {
        launches += 1;
        if (!canLaunch) throw new Error('There is no Chromium.');
        return paperBrowser();
      },
    });
    refill.resize(1);
    await clock.advance(0);
    expect(refill.isFailing()).toBe(true);
    // Nobody wants one any more; then Chromium is there again, and somebody does.
    refill.resize(0);
    canLaunch = true;
    expect(refill.isFailing()).toBe(false);
    refill.resize(1);
    const seat = refill.sit(new AbortController().signal);
    await clock.advance(60_000);
    expect((await seat).browser.pid).toBe(1);
    expect(launches).toBe(2);
    await refill.shutdown();
  });
});
