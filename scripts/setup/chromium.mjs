import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run, SetupError } from './run.mjs';

/** The headless shell first: a page costs it a third of what it costs a full Chromium. */
const COMMANDS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_APPS = ['Google Chrome', 'Chromium'].map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`);

const ADVICE =
  'No Chromium was found and none could be installed: install chromium-headless-shell, Chromium or Google Chrome, ' +
  'or set SCRAPER_CHROMIUM_PATH to the executable of one.';

/** Answers the path of a Chromium that starts, installing one if there is none. */
export async function ensureChromium(root, progress, env = process.env) {
  const found = await findChromium(root, env);
  if (found) return found;
  let output = '';
  for (const [name, attempt] of installers(root, env)) {
    const result = await progress.step(name, attempt);
    const installed = await findChromium(root, env);
    if (installed) return installed;
    // The reason, not the whole story.
    if (!result.ok) output = result.output.trim().split('\n').slice(-3).join('\n');
  }
  throw new SetupError(ADVICE, output);
}

/** The first of the candidates that starts. One that was asked for by name must: another would be a surprise. */
export async function findChromium(root, env = process.env) {
  const chosen = env.SCRAPER_CHROMIUM_PATH;
  if (chosen) {
    if (isExecutable(chosen) && (await starts(chosen))) return chosen;
    throw new SetupError(`SCRAPER_CHROMIUM_PATH is ${JSON.stringify(chosen)}, which is not a Chromium that starts.`);
  }
  for (const path of [...managedByPlaywright(root, env), ...onPath(env)]) {
    if (await starts(path)) return path;
  }
  return null;
}

/** Those that Playwright has downloaded, if they are of the revision that belongs to the installed Playwright. */
function managedByPlaywright(root, env) {
  const list = join(root, 'node_modules/playwright-core/browsers.json');
  if (!existsSync(list)) return [];
  const { browsers } = JSON.parse(readFileSync(list, 'utf8'));
  return ['chromium-headless-shell', 'chromium'].flatMap((name) => {
    const revision = browsers.find((browser) => browser.name === name)?.revision;
    const dir = join(browsersDir(root, env), `${name.replaceAll('-', '_')}-${revision}`);
    return existsSync(join(dir, 'INSTALLATION_COMPLETE')) ? executablesIn(dir) : [];
  });
}

function browsersDir(root, env) {
  const chosen = env.PLAYWRIGHT_BROWSERS_PATH;
  if (chosen === '0') return join(root, 'node_modules/playwright-core/.local-browsers');
  if (chosen) return chosen;
  if (process.platform === 'darwin') return join(homedir(), 'Library/Caches/ms-playwright');
  if (process.platform === 'win32') return join(env.LOCALAPPDATA ?? homedir(), 'ms-playwright');
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ms-playwright');
}

/** The program lies one folder deep (on a Mac inside an app), under one of a few names. */
function executablesIn(dir) {
  const programs = ['chrome-headless-shell', 'headless_shell', 'chrome', 'chrome.exe', 'chrome-headless-shell.exe'];
  const app = 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';
  return readdirSync(dir)
    .flatMap((folder) => [...programs, app].map((program) => join(dir, folder, program)))
    .filter(isExecutable);
}

function onPath(env) {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const commands = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...commands, ...(process.platform === 'darwin' ? MAC_APPS : [])].filter(isExecutable);
}

/** A binary whose libraries are missing is found but of no use, so it is asked for its version. */
const starts = async (path) => (await run(path, ['--version'], { timeoutMs: 15_000 })).ok;

/** Ways to get one, cheapest first. Whether they worked is seen by looking again. */
function installers(root, env) {
  const playwright = join(root, 'node_modules/playwright/cli.js');
  const download = () =>
    run(process.execPath, [playwright, 'install', 'chromium', '--only-shell'], {
      cwd: root,
      env,
      timeoutMs: 5 * 60_000,
    });
  const ways = [['Downloading a headless Chromium', download]];
  if (!isRootOnDebian(env)) return ways;
  const apt = (...args) => run('apt-get', args, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } });
  const install = (name) => apt('install', '-y', '--no-install-recommends', name);
  return [
    ...ways,
    ['Installing chromium-headless-shell', () => apt('update').then(() => install('chromium-headless-shell'))],
    ['Installing chromium', () => install('chromium')],
  ];
}

const isRootOnDebian = (env) =>
  process.getuid?.() === 0 &&
  existsSync('/etc/debian_version') &&
  (env.PATH ?? '').split(delimiter).some((folder) => isExecutable(join(folder, 'apt-get')));

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
