import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Browser, CDPSession } from 'playwright';
import type { BrowserEngine } from '../domain/browser-engine.js';
import type { Clock } from '../ports/clock.js';
import { orFailAfter } from './abort.js';
import { createContexts, type NewContext } from './browser-context.js';
import { type BrowserProcess, inspectBrowser, killBrowser } from './browser-process.js';
import { makeScratch, type Scratch } from './browser-scratch.js';
import { chromiumFlags, engineOf, IGNORED_PLAYWRIGHT_FLAGS } from './chromium-flags.js';
import { chromium } from './playwright.js';

/** One running Chromium, as far as the pool needs to know it. */
export interface LaunchedBrowser {
  readonly pid: number;
  readonly version: string;
  readonly tempDir: string;
  /** Resolves when the connection to the browser ends, for whatever reason. */
  readonly gone: Promise<void>;
  readonly newContext: NewContext;
  /** Resolves when it answers; takes as long as it hangs. Rejects when it is gone. */
  answers(): Promise<unknown>;
  /** Gracefully; may hang as long as the browser does. Leaves no process and no file. */
  close(): Promise<void>;
  /** At once and in bounded time, in whatever state the browser is. Leaves no process and no file. */
  kill(): Promise<void>;
}

/** What only its launcher needs to know. */
export interface LaunchedChromium extends LaunchedBrowser {
  /** As it says itself, whatever its program is called. */
  readonly engine: BrowserEngine;
  /** Renderers that one empty page takes. To be asked before there is any other page. */
  countRenderers(): Promise<number>;
}

export interface LaunchOptions {
  executablePath: string;
  sandbox: boolean;
  egressProxyUrl: string;
  /** Loads images and fonts, which only screenshots need. */
  withPictures?: boolean;
  clock: Clock;
  env?: NodeJS.ProcessEnv;
}

const LAUNCH_TIMEOUT_MS = 20_000;
const ANSWER_TIMEOUT_MS = 5000;

/** Playwright's plain launch: it speaks over a pipe, so that a Chromium whose parent was killed ends by itself. */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedChromium> {
  const { executablePath, clock, env = process.env } = options;
  refuseDangerousEnv(env);
  // Playwright makes the profile before it looks for the program, and leaves it behind where there is none.
  if (!isExecutable(executablePath)) throw new Error(`${executablePath} is no program that could be run.`);
  const scratch = await makeScratch();
  let browser: Browser | null = null;
  try {
    browser = await chromium.launch({
      executablePath,
      chromiumSandbox: options.sandbox,
      // Playwright adds `<-loopback>` to the bypass list, without which pages would reach loopback past the proxy.
      proxy: { server: options.egressProxyUrl },
      args: chromiumFlags(engineOf(executablePath), options),
      ignoreDefaultArgs: IGNORED_PLAYWRIGHT_FLAGS,
      artifactsDir: scratch.artifacts,
      env: childEnv(env, scratch),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: LAUNCH_TIMEOUT_MS,
    });
    const silent = new Error('Chromium was started but does not answer.');
    const adopted = adopt(browser, scratch, clock);
    return await orFailAfter(() => adopted, { ms: ANSWER_TIMEOUT_MS, error: silent, clock });
  } catch (error) {
    // One that does not answer may not close either: Playwright kills it in the end, and nobody waits for that here.
    if (browser) void browser.close().catch(ignore).finally(scratch.remove);
    else await scratch.remove();
    throw error;
  }
}

async function adopt(browser: Browser, scratch: Scratch, clock: Clock): Promise<LaunchedChromium> {
  const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
  const session = await browser.newBrowserCDPSession();
  const [pid, { product }] = await Promise.all([pidOf(session), session.send('Browser.getVersion')]);
  const found = await inspectBrowser(pid);
  if (found.profile) await scratch.noteProfile(found.profile);
  const newContext = createContexts(session);
  return {
    pid: found.pid,
    version: browser.version(),
    engine: product.startsWith('Headless') ? 'shell' : 'chromium',
    tempDir: scratch.dir,
    gone,
    newContext,
    answers: () => session.send('Browser.getVersion'),
    async countRenderers() {
      const context = await newContext({});
      await context.newPage();
      await clock.wait(SPARES_MS);
      const processes = await processesOf(session);
      await context.close();
      return processes.filter(({ type }) => type === 'renderer').length;
    },
    async close() {
      await browser.close();
      await scratch.remove();
    },
    async kill() {
      await killBrowser(found, clock);
      await scratch.remove();
    },
  };
}

/** What Chromium starts for itself beside a page is there at once (version 156); a later one may take its time. */
const SPARES_MS = 300;

async function processesOf(session: CDPSession): Promise<{ type: string; id: number }[]> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo;
}

/** Playwright does not tell; Chromium itself does. */
async function pidOf(session: CDPSession): Promise<BrowserProcess['pid']> {
  const own = (await processesOf(session)).find(({ type }) => type === 'browser');
  if (!own) throw new Error('Chromium does not name its browser process.');
  return own.id;
}

/** Switches of Playwright's that would open a way past the proxy or past the pipe. */
const DANGEROUS_ENV = ['PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK', 'SELENIUM_REMOTE_URL'];

function refuseDangerousEnv(env: NodeJS.ProcessEnv): void {
  const found = DANGEROUS_ENV.find((name) => env[name]);
  if (found) throw new Error(`${found} is set: with it pages could get past the egress proxy. Unset it.`);
}

/** Chromium runs what strangers wrote: of our environment, secrets included, it gets only what it cannot do without. */
function childEnv(env: NodeJS.ProcessEnv, scratch: Scratch): Record<string, string> {
  const kept = KEPT_ENV.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return { ...Object.fromEntries(kept), TMPDIR: scratch.tmp, HOME: scratch.dir };
}

const KEPT_ENV = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'LD_LIBRARY_PATH',
  'FONTCONFIG_FILE',
  'FONTCONFIG_PATH',
  'CHROME_DEVEL_SANDBOX',
];

interface ChromiumWish {
  engine?: BrowserEngine;
  env?: NodeJS.ProcessEnv;
}

/**
 * The one that is named. Without a name: one of the wanted engine, Playwright's own before one on the PATH; and where
 * that engine is not installed, the other one: whether that will do is for the caller to say. `null`: there is none.
 */
export function findChromium(explicit: string | null | undefined, wish: ChromiumWish = {}): string | null {
  const { engine = 'shell', env = process.env } = wish;
  // Who names a path means that one: a typing error must not silently start another browser.
  if (explicit) return isExecutable(explicit) ? explicit : null;
  return findEngine(engine, env) ?? findEngine(engine === 'shell' ? 'chromium' : 'shell', env);
}

function findEngine(engine: BrowserEngine, env: NodeJS.ProcessEnv): string | null {
  const managed = managedChromium()[engine];
  if (managed) return managed;
  const directories = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = PATH_NAMES[engine].flatMap((name) => directories.map((directory) => join(directory, name)));
  return candidates.find(isExecutable) ?? null;
}

const PATH_NAMES: Record<BrowserEngine, string[]> = {
  shell: ['chromium-headless-shell', 'chrome-headless-shell'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
};

/** Playwright names only its full build; the shell lies beside it: chromium-1254/… and chromium_headless_shell-1254/…. */
function managedChromium(): Record<BrowserEngine, string | null> {
  const full = chromium.executablePath();
  const home = /^(.*[\\/])chromium-(\d+)[\\/]/.exec(full);
  const shell = home ? shellIn(`${home[1]}chromium_headless_shell-${home[2]}`) : null;
  return { shell, chromium: isExecutable(full) ? full : null };
}

function shellIn(directory: string): string | null {
  if (!existsSync(directory)) return null;
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
  const named = files.filter((file) => /[\\/](chrome-)?headless[-_]shell(\.exe)?$/.test(file));
  return named.find((file) => dirname(file) !== directory && isExecutable(file)) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const ignore = (): void => {};
