import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { run, SetupError } from './run.mjs';

/** What the setting may ask for, and the names it goes by. */
const ENGINES = {
  shell: {
    title: 'the headless shell',
    commands: ['chromium-headless-shell', 'chrome-headless-shell'],
    managed: 'chromium-headless-shell',
    debian: 'chromium-headless-shell',
    download: ['install', 'chromium', '--only-shell'],
  },
  chromium: {
    title: 'full Chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    managed: 'chromium',
    debian: 'chromium',
    download: ['install', 'chromium', '--no-shell'],
  },
};
const MAC_APPS = ['Google Chrome', 'Chromium'].map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`);

const ADVICE =
  'No Chromium was found and none could be installed: install chromium-headless-shell, Chromium or Google Chrome, ' +
  'or set SCRAPER_CHROMIUM_PATH to the executable of one.';

/**
 * Answers the path of a Chromium that starts, installing one if there is none. What is there is used, of whatever
 * engine; beside it another is installed only where SCRAPER_BROWSER_ENGINE says so, and missed only in words.
 */
export async function ensureChromium(root, progress, env = process.env) {
  const wanted = wantedEngine(env);
  const found = await findChromium(root, env);
  const mustBeWanted = Boolean(env.SCRAPER_BROWSER_ENGINE && !env.SCRAPER_CHROMIUM_PATH);
  if (found && (engineOf(found) === wanted || !mustBeWanted)) return found;
  let output = '';
  for (const [name, attempt] of installers(root, env, { wanted, isAnyGood: !found })) {
    const result = await progress.step(name, attempt);
    const installed = await findChromium(root, env);
    if (installed && (engineOf(installed) === wanted || !found)) return installed;
    // The reason, not the whole story.
    if (!result.ok) output = result.output.trim().split('\n').slice(-3).join('\n');
  }
  if (found) return found;
  throw new SetupError(ADVICE, output);
}

/** What is in use, and what it would take to have the other engine: two short sentences. */
export function describeChromium(root, path, env = process.env) {
  const engine = engineOf(path);
  const other = otherThan(engine);
  const { title } = ENGINES[other];
  const isThere = candidates(root, env, other).length > 0;
  const way = isThere ? 'it is here, too' : installCommand(other);
  return [`${ENGINES[engine].title}, ${path}`, `For ${title}: ${way}; ${useOf(other, env)}.`];
}

function useOf(engine, env) {
  if (env.SCRAPER_CHROMIUM_PATH) return 'SCRAPER_CHROMIUM_PATH names another one';
  return wantedEngine(env) === engine
    ? 'SCRAPER_BROWSER_ENGINE asks for it'
    : `SCRAPER_BROWSER_ENGINE=${engine} uses it`;
}

/** As the settings read it; what they do not know, they will refuse by themselves. */
const wantedEngine = (env) => (env.SCRAPER_BROWSER_ENGINE?.toLowerCase() === 'chromium' ? 'chromium' : 'shell');

const otherThan = (engine) => (engine === 'shell' ? 'chromium' : 'shell');

const engineOf = (path) => (/headless[-_]shell/.test(path) ? 'shell' : 'chromium');

const installCommand = (engine) =>
  existsSync('/etc/debian_version')
    ? `apt-get install ${ENGINES[engine].debian}`
    : `npx playwright ${ENGINES[engine].download.join(' ')}`;

/** The first of the candidates that starts. One that was asked for by name must: another would be a surprise. */
export async function findChromium(root, env = process.env) {
  const chosen = env.SCRAPER_CHROMIUM_PATH;
  if (chosen) {
    if (isExecutable(chosen) && (await starts(chosen))) return chosen;
    throw new SetupError(`SCRAPER_CHROMIUM_PATH is ${JSON.stringify(chosen)}, which is not a Chromium that starts.`);
  }
  const wanted = wantedEngine(env);
  for (const path of [wanted, otherThan(wanted)].flatMap((engine) => candidates(root, env, engine))) {
    if (await starts(path)) return path;
  }
  return null;
}

const candidates = (root, env, engine) => [...managedByPlaywright(root, env, engine), ...onPath(env, engine)];

/** Those that Playwright has downloaded, if they are of the revision that belongs to the installed Playwright. */
function managedByPlaywright(root, env, engine) {
  const list = join(root, 'node_modules/playwright-core/browsers.json');
  if (!existsSync(list)) return [];
  const { browsers } = JSON.parse(readFileSync(list, 'utf8'));
  const name = ENGINES[engine].managed;
  const revision = browsers.find((browser) => browser.name === name)?.revision;
  const dir = join(browsersDir(root, env), `${name.replaceAll('-', '_')}-${revision}`);
  return existsSync(join(dir, 'INSTALLATION_COMPLETE')) ? executablesIn(dir) : [];
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

function onPath(env, engine) {
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const commands = ENGINES[engine].commands.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...commands, ...(process.platform === 'darwin' && engine === 'chromium' ? MAC_APPS : [])].filter(
    isExecutable,
  );
}

/** A binary whose libraries are missing is found but of no use, so it is asked for its version. */
const starts = async (path) => (await run(path, ['--version'], { timeoutMs: 15_000 })).ok;

/** Ways to get one, cheapest first. Whether they worked is seen by looking again. */
function installers(root, env, { wanted, isAnyGood }) {
  const playwright = join(root, 'node_modules/playwright/cli.js');
  const options = { cwd: root, env, timeoutMs: 5 * 60_000 };
  const { title, debian, download } = ENGINES[wanted];
  const ways = [[`Downloading ${title}`, () => run(process.execPath, [playwright, ...download], options)]];
  if (!isRootOnDebian(env)) return ways;
  const apt = (...args) => run('apt-get', args, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } });
  const install = (name) => apt('install', '-y', '--no-install-recommends', name);
  ways.push([`Installing ${debian}`, () => apt('update').then(() => install(debian))]);
  const { debian: second } = ENGINES[otherThan(wanted)];
  return isAnyGood ? [...ways, [`Installing ${second}`, () => install(second)]] : ways;
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
