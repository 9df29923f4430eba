import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingError } from './process-tree.js';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** The peers are packages of the bench alone: they are installed by the first run that needs them. */
export async function ensurePeers(): Promise<void> {
  const { dependencies } = readPackage(join(FOLDER, 'package.json'));
  const missing = Object.entries(dependencies ?? {}).filter(([name, version]) => installed(name) !== version);
  if (missing.length === 0) return;
  process.stderr.write(`  Installing the peers (${missing.map(([name]) => name).join(', ')}) …\n`);
  if ((await npmInstall()) !== 0)
    throw new MissingError('The peers could not be installed: npm install in bench failed.');
}

function installed(name: string): string | null {
  const file = join(FOLDER, 'node_modules', name, 'package.json');
  return existsSync(file) ? (readPackage(file).version ?? null) : null;
}

const readPackage = (file: string): { version?: string; dependencies?: Record<string, string> } =>
  JSON.parse(readFileSync(file, 'utf8'));

/** With the very npm that runs us, if one does. No peer brings a browser of its own: all get the same one. */
async function npmInstall(): Promise<number> {
  const cli = process.env.npm_execpath;
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn(cli ? process.execPath : 'npm', cli ? [cli, ...args] : args, {
    cwd: FOLDER,
    env: { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1', PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    stdio: ['ignore', 2, 2],
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
