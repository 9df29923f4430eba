import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { commandLine } from '../../src/fetching/browser-process.js';
import { sweepScratch } from '../../src/fetching/browser-scratch.js';
import { type LaunchedBrowser, launchBrowser } from '../../src/fetching/chromium.js';
import {
  chromiumFlags,
  PLAYWRIGHT_BLINK_SETTINGS,
  PLAYWRIGHT_DISABLED_FEATURES,
  PLAYWRIGHT_ENABLED_FEATURES,
} from '../../src/fetching/chromium-flags.js';
import { launchChromium, leftovers, processesNaming } from './browser-kit.js';

const groupOf = (pid: number): string | undefined =>
  existsSync(`/proc/${pid}/stat`)
    ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2]
    : undefined;

const PROXY = 'http://127.0.0.1:9';

describe('a launched Chromium', () => {
  let browser: LaunchedBrowser;
  let line: string[];

  beforeAll(async () => {
    process.env.SCRAPER_SERVICE_KEY = 'a-secret-of-ours';
    browser = await launchChromium(PROXY);
    line = await commandLine(browser.pid);
  });

  afterAll(async () => {
    delete process.env.SCRAPER_SERVICE_KEY;
    await browser.close();
    expect(leftovers()).toEqual([]);
  });

  const values = (name: string): string[] =>
    line.filter((part) => part.startsWith(`--${name}=`)).map((part) => part.slice(name.length + 3));

  it('speaks over a pipe, goes through the proxy even to loopback, and resolves nothing itself', () => {
    expect(line).toContain('--remote-debugging-pipe');
    expect(line.some((part) => part.startsWith('--remote-debugging-port'))).toBe(false);
    expect(values('proxy-server')).toEqual([PROXY]);
    expect(values('proxy-bypass-list')).toEqual(['<-loopback>']);
    expect(values('host-resolver-rules')).toEqual(['MAP * ~NOTFOUND , EXCLUDE 127.0.0.1']);
    expect(line).toContain('--disable-quic');
    expect(values('webrtc-ip-handling-policy')).toEqual(['disable_non_proxied_udp']);
    expect(values('force-webrtc-ip-handling-policy')).toEqual(['disable_non_proxied_udp']);
  });

  it('does nothing on its own account', () => {
    for (const flag of ['background-networking', 'component-update', 'sync', 'dev-shm-usage', 'gpu']) {
      expect(line).toContain(`--disable-${flag}`);
    }
  });

  it('keeps what Playwright set, where the last flag of a name wins', () => {
    expect(values('disable-features')[0]!.split(',')).toEqual(PLAYWRIGHT_DISABLED_FEATURES);
    const [enabled, alsoEnabled] = values('enable-features').map((text) => text.split(','));
    expect(enabled).toEqual(PLAYWRIGHT_ENABLED_FEATURES);
    expect(alsoEnabled).toEqual(expect.arrayContaining(enabled!));
    const [theirs, ours] = values('blink-settings').map((text) => text.split(','));
    expect(theirs).toEqual(PLAYWRIGHT_BLINK_SETTINGS);
    expect(ours).toEqual(expect.arrayContaining(theirs!));
    const lean = chromiumFlags('chromium').find((flag) => flag.startsWith('--disable-features='))!;
    for (const feature of [...PLAYWRIGHT_DISABLED_FEATURES, 'SpareRendererForSitePerProcess']) {
      expect(lean).toContain(feature);
    }
  });

  it('speaks to the network itself, not through a further process', async () => {
    const context = await browser.newContext({});
    const { session } = await context.newPage();
    await session.send('Page.navigate', { url: 'http://127.0.0.1:9/' });
    const own = processesNaming('--type=').filter((pid) => groupOf(pid) === groupOf(browser.pid));
    // A renderer shows its command line as one text.
    const lines = (await Promise.all(own.map(commandLine))).flat().join(' ');
    expect(lines).toContain('--type=renderer');
    expect(lines).not.toContain('--utility-sub-type=network');
    await context.close();
  });

  it('knows nothing of our environment, and has a temporary directory of its own', async () => {
    const environment = await readFile(`/proc/${browser.pid}/environ`, 'utf8');
    expect(environment).not.toContain('SCRAPER_');
    expect(environment).not.toContain('a-secret-of-ours');
    expect(environment).toContain(`TMPDIR=${browser.tempDir}`);
    expect(environment).toContain(`HOME=${browser.tempDir}`);
    expect(existsSync(browser.tempDir)).toBe(true);
  });
});

describe('launching', () => {
  const options = { executablePath: '/nowhere/chromium', sandbox: false, egressProxyUrl: PROXY, clock: systemClock };

  it('fails without leaving anything when there is no such program', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gleaner-launch-'));
    const { TMPDIR } = process.env;
    process.env.TMPDIR = directory;
    try {
      await expect(launchBrowser(options)).rejects.toThrow(/nowhere/);
      expect(await readdir(directory)).toEqual([]);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      await rm(directory, { recursive: true });
    }
  });

  it.each(['PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK', 'SELENIUM_REMOTE_URL'])(
    'is refused under %s',
    async (name) => {
      await expect(launchBrowser({ ...options, env: { [name]: '1' } })).rejects.toThrow(name);
    },
  );
});

describe('the sweep at start', () => {
  it('leaves a launch that began and was killed after it to the next start, which finds the profile by it', async () => {
    const startedMs = Date.now();
    await setTimeout(50);
    const dead = await mkdtemp(join(tmpdir(), 'gleaner-browser-4194305-'));
    const profile = await mkdtemp(join(tmpdir(), 'playwright_chromiumdev_profile-'));
    await sweepScratch(startedMs);
    expect([dead, profile].filter(existsSync)).toEqual([dead, profile]);
    await setTimeout(50);
    await sweepScratch(Date.now());
    expect([dead, profile].filter(existsSync)).toEqual([]);
  });

  it('removes what browsers of dead processes left, with their profiles, and nothing else', async () => {
    const of = (pid: number) => mkdtemp(join(tmpdir(), `gleaner-browser-${pid}-`));
    // No process has this number: it is above the largest one Linux gives out.
    const [dead, alive, ours] = [await of(4_194_305), await of(process.ppid), await of(process.pid)];
    const profile = await mkdtemp(join(tmpdir(), 'playwright_chromiumdev_profile-'));
    const foreign = await mkdtemp(join(tmpdir(), 'gleaner-foreign-'));
    await writeFile(join(dead, 'profile-path'), profile);
    const liar = await of(4_194_305);
    await writeFile(join(liar, 'profile-path'), foreign);

    expect(await sweepScratch()).toBeGreaterThanOrEqual(2);
    expect([dead, liar, profile].filter(existsSync)).toEqual([]);
    expect([alive, ours, foreign].filter(existsSync)).toEqual([alive, ours, foreign]);
    await Promise.all([alive, ours, foreign].map((path) => rm(path, { recursive: true })));
  });

  it("finds the profile of a launch that was killed before it could be noted, and takes nobody else's", async () => {
    const profileOf = () => mkdtemp(join(tmpdir(), 'playwright_chromiumdev_profile-'));
    const earlier = await profileOf();
    await setTimeout(50);
    const dead = await mkdtemp(join(tmpdir(), 'gleaner-browser-4194305-'));
    const [unnoted, used] = [await profileOf(), await profileOf()];
    const user = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', '--', `--user-data-dir=${used}`]);
    await once(user, 'spawn');
    await setTimeout(50);
    const later = Date.now();
    await setTimeout(50);
    const young = await profileOf();
    try {
      await sweepScratch(later);
      expect([dead, unnoted].filter(existsSync)).toEqual([]);
      expect([earlier, used, young].filter(existsSync)).toEqual([earlier, used, young]);
    } finally {
      user.kill('SIGKILL');
      await Promise.all([earlier, used, young].map((path) => rm(path, { recursive: true })));
    }
  });
});
