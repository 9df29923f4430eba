import type { BrowserEngine } from '../domain/browser-engine.js';
import { type BrowserPool, type BrowserPoolOptions, createBrowserPool } from './browser-pool.js';
import { type LaunchedChromium, launchBrowser } from './chromium.js';
import type { LeanCheck } from './chromium-lean.js';
import type { EgressProxy } from './egress-proxy.js';

export interface EnginePoolsOptions extends Omit<BrowserPoolOptions, 'launch'> {
  /** What was asked for. */
  wanted: BrowserEngine;
  /** The executable to launch now. Throws `browser_unavailable` where there is none that will do. */
  program: () => string;
  sandbox: boolean;
  egressProxy: Pick<EgressProxy, 'url'>;
  leanCheck: LeanCheck;
}

/** The browsers of one engine. */
export interface EnginePools {
  readonly wanted: BrowserEngine;
  /** For pages. Its browsers load no images. */
  readonly pages: BrowserPool;
  /** For screenshots: with images. They are launched when one is asked for, and go when nobody does. */
  readonly pictures: BrowserPool;
  /** For visits that may take their browser down: one browser each, with images, used once. */
  readonly solitary: BrowserPool;
  /** What was launched last; `null` before the first. */
  inUse(): EngineInUse | null;
  /** Starts a browser and closes it again, so that it is known what is in use before anybody needs it. */
  tryOut(): void;
  /** Resolves after the first attempt to launch; of pools that launch on demand, much later. */
  start(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface EngineInUse {
  engine: BrowserEngine;
  version: string;
  /** Of full Chromium: whether nothing runs beside a page. `null`: the shell, or not known. */
  lean: boolean | null;
}

/** How soon an engine that did not start is tried out again. */
const TRY_AGAIN_MS = 30_000;

export function createEnginePools(options: EnginePoolsOptions): EnginePools {
  const { wanted, program, sandbox, egressProxy, leanCheck, ...pool } = options;
  const { clock, log } = pool;
  let last: Pick<LaunchedChromium, 'engine' | 'version'> | null = null;
  let trial: Promise<void> | null = null;
  let triedMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;

  const launchWith = (withPictures: boolean) => async (): Promise<LaunchedChromium> => {
    const executablePath = program();
    const egressProxyUrl = egressProxy.url;
    const browser = await launchBrowser({ executablePath, sandbox, egressProxyUrl, withPictures, clock });
    await leanCheck.look(browser);
    const { engine, version } = browser;
    if (engine !== wanted && last?.engine !== engine) {
      log.warn({ wanted, used: engine }, 'the wanted browser engine is not there: another one is used');
    }
    last = { engine, version };
    return browser;
  };

  const pages = createBrowserPool({ ...pool, launch: launchWith(false) });
  const pictures = createBrowserPool({ ...pool, size: 0, launch: launchWith(true) });
  const solitary = createBrowserPool({
    ...pool,
    size: 0,
    contextsPerBrowser: 1,
    pageLimit: 1,
    isSolitary: true,
    launch: launchWith(true),
  });
  return {
    wanted,
    pages,
    pictures,
    solitary,
    inUse: () => last && { ...last, lean: leanCheck.isLean(last) },
    tryOut() {
      if (trial || isStopping || clock.mono() - triedMs < TRY_AGAIN_MS) return;
      triedMs = clock.mono();
      trial = launchWith(false)()
        .then((browser) => browser.kill())
        .catch((err: unknown) =>
          log.warn({ err, wanted }, 'the browser engine that a policy demands cannot be started'),
        )
        .finally(() => {
          trial = null;
        });
    },
    async start() {
      void pictures.start();
      void solitary.start();
      await pages.start();
    },
    async shutdown() {
      isStopping = true;
      await Promise.all([pages.shutdown(), pictures.shutdown(), solitary.shutdown(), trial]);
    },
  };
}
