// Makes a fresh clone ready to run, with nothing but Node and npm: packages, build, Chromium.
// Safe to run at any time; when nothing is to be done it only looks.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuild } from './setup/build.mjs';
import { describeChromium, ensureChromium } from './setup/chromium.mjs';
import { withLock } from './setup/lock.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { createProgress } from './setup/progress.mjs';
import { SetupError } from './setup/run.mjs';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = [20, 19];

/**
 * Answers `{ chromium }`, the path of the one to use; `null` where `chromium: false` said that none is needed. Rejects
 * with SetupError.
 */
export async function setUp({ root = ROOT, progress = createProgress(), env = process.env, chromium = true } = {}) {
  checkNode(process.versions.node);
  const onWait = () => progress.say('  Waiting for another set-up of this folder …');
  // In `dist`, because `npm ci` empties node_modules.
  return withLock(join(root, 'dist/.setup-lock'), () => prepare({ root, progress, env, chromium }), { onWait });
}

export function checkNode(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new SetupError(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is Node ${version}.`);
}

/** For the commands: set up, or say in a few lines why not and leave. */
export async function setUpOrExit(options) {
  try {
    return await setUp(options);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(error.output ? `${error.output}\n\n${error.message}\n` : `${error.message}\n`);
    process.exit(1);
  }
}

async function prepare({ root, progress, env, chromium: isNeeded }) {
  await ensurePackages(root, progress);
  await ensureBuild(root, progress);
  if (!isNeeded) return { chromium: null };
  const chromium = await ensureChromium(root, progress, env);
  const [inUse, other] = describeChromium(root, chromium, env);
  progress.say(`✓ Ready in ${progress.elapsed()}, with ${inUse}`);
  progress.say(`  ${other}`);
  return { chromium };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await setUpOrExit();
