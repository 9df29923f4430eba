import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { type Browsers, type BrowsersOptions, createBrowsers } from '../../src/fetching/browsers.js';
import { installed, programIn, whyNoFull, whyNoShell } from '../support/engines.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { tempDir } from '../support/temp-dir.js';
import { leftovers, until } from './browser-kit.js';

// One that Playwright manages on this machine would come before those that a test installs.
vi.hoisted(() => {
  process.env.PLAYWRIGHT_BROWSERS_PATH = '/nowhere';
});

let bin: ReturnType<typeof tempDir>;
let telemetry: QuietTelemetry;
let browsers: Browsers;

beforeEach(() => {
  bin = tempDir('engines');
  telemetry = new QuietTelemetry();
});

afterEach(async () => {
  await browsers.shutdown();
  bin.remove();
  expect(leftovers()).toEqual([]);
});

const install = {
  shell: () => programIn(bin.path, 'chromium-headless-shell', `${installed.shell} "$@"`),
  chromium: (more = '') => programIn(bin.path, 'chromium', `${installed.chromium} "$@" ${more}`),
};

function start(options: Partial<BrowsersOptions> & Pick<BrowsersOptions, 'engine'>): void {
  browsers = createBrowsers({
    chromiumPath: null,
    demanded: [],
    env: { PATH: bin.path },
    sandbox: process.getuid?.() !== 0,
    egressProxy: { url: 'http://127.0.0.1:9' },
    size: 1,
    max: 1,
    contextsPerBrowser: 1,
    pageLimit: 100,
    maxAgeMs: 3_600_000,
    acquireTimeoutMs: 10_000,
    closeTimeoutMs: 2_000,
    hungAfterMs: 5_000,
    clock: systemClock,
    onRetire: () => {},
    log: telemetry.log,
    ...options,
  });
  browsers.start();
}

const warnings = () => telemetry.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
const unavailable = expect.objectContaining({ code: 'browser_unavailable' });

describe.skipIf(!installed.chromium || !installed.shell)(`with both engines installed${whyNoFull}${whyNoShell}`, () => {
  it('one serves everybody, the other whoever demands it, and only then', async () => {
    install.shell();
    install.chromium();
    start({ engine: 'shell', demanded: ['chromium'] });
    const { own, other } = browsers;
    await until(() => browsers.canServe(null) && browsers.canServe('chromium'));
    expect(own.inUse()).toMatchObject({ engine: 'shell', lean: null });
    // It was tried out, and is gone until somebody needs it.
    expect(other?.inUse()).toMatchObject({ engine: 'chromium', lean: true, version: browsers.version('chromium') });
    expect(other?.pages.stats()).toMatchObject({ total: 0, browsers: 0, pages_processed: 0 });

    expect(browsers.poolFor({})).toBe(own.pages);
    expect(browsers.poolFor({ engine: 'shell', screenshot: true })).toBe(own.pictures);
    expect(browsers.poolFor({ engine: 'chromium', screenshot: true })).toBe(other?.pictures);
    const pool = browsers.poolFor({ engine: 'chromium' });
    const slot = await pool.acquire();
    expect(pool).toBe(other?.pages);
    expect(pool.stats()).toMatchObject({ total: 1, browsers: 1 });
    await pool.release(slot);
    expect(browsers.lack('chromium')).toBeNull();
    expect(warnings()).toEqual([]);
  });

  it('the one that somebody has chosen serves everybody, and whoever demands its engine', async () => {
    const chromiumPath = install.chromium();
    install.shell();
    start({ engine: 'shell', chromiumPath, demanded: ['chromium'] });
    await until(() => browsers.canServe(null));
    expect(browsers.own.inUse()).toMatchObject({ engine: 'chromium', lean: true });
    expect(browsers.canServe('chromium')).toBe(true);
    expect(browsers.poolFor({ engine: 'chromium' })).toBe(browsers.own.pages);
    expect(warnings()).toEqual([{ wanted: 'shell', used: 'chromium' }]);
  });

  it('the other one is looked for where one has been chosen', async () => {
    const chromiumPath = install.shell();
    install.chromium();
    start({ engine: 'shell', chromiumPath, demanded: ['chromium'] });
    await until(() => browsers.canServe('chromium'));
    expect(browsers.own.inUse()?.engine).toBe('shell');
    expect(browsers.other?.inUse()?.engine).toBe('chromium');
  });
});

describe.skipIf(!installed.chromium)(`with only full Chromium installed${whyNoFull}`, () => {
  it('it takes the place of the shell, also where a policy demands that, and says so', async () => {
    install.chromium();
    start({ engine: 'shell', demanded: ['shell'] });
    await until(() => browsers.canServe(null));
    expect(browsers.own.inUse()).toMatchObject({ engine: 'chromium', lean: true });
    expect(browsers.lack('shell')).toBeNull();
    expect(warnings()).toEqual([{ wanted: 'shell', used: 'chromium' }]);
  });

  it('runs once where everybody wants it and a policy demands the shell', async () => {
    install.chromium();
    start({ engine: 'chromium', demanded: ['shell'] });
    await until(() => browsers.canServe('shell'));
    expect(browsers.poolFor({ engine: 'shell' })).toBe(browsers.own.pages);
  });

  it('it is seen when its lean features take no effect', async () => {
    install.chromium('--disable-features=NoSuchFeature');
    start({ engine: 'chromium' });
    await until(() => browsers.canServe(null));
    expect(browsers.own.inUse()).toMatchObject({ engine: 'chromium', lean: false });
    expect(warnings()).toEqual([{ version: browsers.version(null), renderers: expect.any(Number) }]);
  });
});

describe.skipIf(!installed.shell)(`with only the shell installed${whyNoShell}`, () => {
  it('it serves whoever only wished for full Chromium, and says so', async () => {
    install.shell();
    start({ engine: 'chromium' });
    await until(() => browsers.canServe(null));
    expect(browsers.own.inUse()).toMatchObject({ engine: 'shell', lean: null });
    expect(warnings()).toEqual([{ wanted: 'chromium', used: 'shell' }]);
    expect(browsers.lack(null)).toBeNull();
  });

  it.each(['shell', 'chromium'] as const)(
    'it takes nobody who demands full Chromium (the setting says %s)',
    async (engine) => {
      install.shell();
      start({ engine, demanded: ['chromium'] });
      await until(() => browsers.canServe(null));
      expect(browsers.lack('chromium')).toEqual(unavailable);
      expect(warnings()).toEqual([{ wanted: 'chromium', ...(engine === 'chromium' && { used: 'shell' }) }]);
    },
  );
});

describe.skipIf(!installed.chromium || !installed.shell)(
  `a demanded engine that is installed later${whyNoFull}${whyNoShell}`,
  () => {
    it('is found without a restart', async () => {
      install.shell();
      start({ engine: 'shell', demanded: ['chromium'] });
      await until(() => browsers.canServe(null));
      expect(browsers.lack('chromium')).toEqual(unavailable);
      install.chromium();
      await until(() => browsers.lack('chromium') === null);
      await until(() => browsers.canServe('chromium'));
    });
  },
);
