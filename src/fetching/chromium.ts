import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright';
import type { Clock } from '../ports/clock.js';
import { orFailAfter } from './abort.js';
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
  newContext(options: BrowserContextOptions): Promise<BrowserContext>;
  /** Gracefully; may hang as long as the browser does. Leaves no process and no file. */
  close(): Promise<void>;
  /** At once and in bounded time, in whatever state the browser is. Leaves no process and no file. */
  kill(): Promise<void>;
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
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const { executablePath, clock, env = process.env } = options;
  refuseDangerousEnv(env);
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

async function adopt(browser: Browser, scratch: Scratch, clock: Clock): Promise<LaunchedBrowser> {
  const gone = new Promise<void>((resolve) => browser.once('disconnected', () => resolve()));
  const found = await inspectBrowser(await pidOf(browser));
  if (found.profile) await scratch.noteProfile(found.profile);
  return {
    pid: found.pid,
    version: browser.version(),
    tempDir: scratch.dir,
    gone,
    newContext: (options) => browser.newContext(options),
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

/** Playwright does not tell; Chromium itself does. */
async function pidOf(browser: Browser): Promise<BrowserProcess['pid']> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const own = processInfo.find(({ type }) => type === 'browser');
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

/** The setting, then Playwright's own (the shell before the full one), then what is on the PATH. `null`: there is none. */
export function findChromium(explicit: string | null | undefined, env: NodeJS.ProcessEnv = process.env): string | null {
  // Who names a path means that one: a typing error must not silently start another browser.
  if (explicit) return isExecutable(explicit) ? explicit : null;
  const managed = managedChromium();
  if (managed) return managed;
  const directories = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const candidates = PATH_NAMES.flatMap((name) => directories.map((directory) => join(directory, name)));
  return candidates.find(isExecutable) ?? null;
}

const PATH_NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];

/** Playwright names only its full build; the shell lies beside it: chromium-1254/… and chromium_headless_shell-1254/…. */
function managedChromium(): string | null {
  const full = chromium.executablePath();
  const home = /^(.*[\\/])chromium-(\d+)[\\/]/.exec(full);
  const shell = home ? shellIn(`${home[1]}chromium_headless_shell-${home[2]}`) : null;
  return shell ?? (isExecutable(full) ? full : null);
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
