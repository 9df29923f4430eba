import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, run, SetupError } from './run.mjs';

const ABI = process.versions.modules;
const PROBE = "new (require('better-sqlite3'))(':memory:').close()";

/** Installs what package-lock.json names, or only rebuilds the native part, or does nothing. */
export async function ensurePackages(root, progress) {
  const need = await packagesNeed(root);
  if (need === 'install') await progress.step('Installing packages', () => install(root));
  if (need === 'rebuild') await progress.step('Rebuilding better-sqlite3 for this Node', () => rebuild(root));
  if (need !== 'nothing') writeFileSync(stampFile(root), JSON.stringify(currentStamp(root)));
}

/** `install`, `rebuild`, `stamp` (all there, only not noted yet) or `nothing`. */
export async function packagesNeed(root) {
  const wanted = currentStamp(root);
  const stamp = readJson(stampFile(root));
  if (stamp?.lock === wanted.lock && stamp.abi === wanted.abi) return 'nothing';
  // `npm install` by hand leaves no stamp of ours; what npm noted itself tells whether it is complete.
  if (stamp?.lock !== wanted.lock && !isInstalled(root)) return 'install';
  const { ok } = await run(process.execPath, ['-e', PROBE], { cwd: root });
  return ok ? 'stamp' : 'rebuild';
}

/** Does npm's note of what is in node_modules agree with the lock file? Packages for other platforms may be absent. */
function isInstalled(root) {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages ?? {};
  const present = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (!present) return false;
  const isThere = ([path, { version, optional }]) => {
    const found = present[path];
    return found ? found.version === version && existsSync(join(root, path)) : Boolean(optional);
  };
  return Object.entries(wanted).every((entry) => entry[0] === '' || isThere(entry));
}

async function install(root) {
  // Development packages even where NODE_ENV says production: the build and the tests need them.
  const { ok, output } = await npm(root, ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']);
  if (!ok) throw new SetupError(`npm ci failed. ${hint(output)}`.trim(), lastLines(output));
}

async function rebuild(root) {
  const { ok, output } = await npm(root, ['rebuild', 'better-sqlite3', '--loglevel=error']);
  if (!ok) throw new SetupError(`npm rebuild better-sqlite3 failed. ${hint(output)}`.trim(), lastLines(output));
}

const hint = (output) =>
  /gyp|prebuild/i.test(output)
    ? 'better-sqlite3 had no ready-made build for this machine: compiling it needs python3, make and a C++ compiler.'
    : '';

/** The very npm that runs us, if one does. */
function npm(root, args) {
  const cli = process.env.npm_execpath;
  if (cli && /npm-cli\.c?js$/.test(cli)) return run(process.execPath, [cli, ...args], { cwd: root });
  return run('npm', args, { cwd: root });
}

const stampFile = (root) => join(root, 'node_modules/.gleaner-setup.json');

function currentStamp(root) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return { lock: createHash('sha256').update(lock).digest('hex'), abi: `${process.platform}-${process.arch}-${ABI}` };
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
