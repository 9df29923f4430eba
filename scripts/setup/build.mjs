import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { lastLines, run, SetupError } from './run.mjs';

/** Compiles `src` to `dist` if anything that goes into it has changed. */
export async function ensureBuild(root, progress) {
  if (isBuilt(root)) return;
  await progress.step('Building', () => build(root));
}

export async function build(root) {
  const hash = sourceHash(root);
  // Away with the stamp first: a build that is cut short must not look finished.
  rmSync(stampFile(root), { force: true });
  if (outputs(root).some((file) => !existsSync(file))) rmSync(join(root, 'dist/.tsbuildinfo'), { force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { ok, output } = await run(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root });
  if (!ok) throw new SetupError('The build failed.', lastLines(output, 30));
  for (const file of assets(root)) cpSync(join(root, 'src', file), join(root, 'dist', file));
  removeOrphans(root);
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampFile(root), hash);
}

/** By content, not by time: a checkout that only touches files builds nothing, one that turns back time does. */
export function isBuilt(root) {
  const stamp = existsSync(stampFile(root)) ? readFileSync(stampFile(root), 'utf8') : null;
  return stamp === sourceHash(root) && outputs(root).every((file) => existsSync(file));
}

const stampFile = (root) => join(root, 'dist/.build');

function sourceHash(root) {
  const hash = createHash('sha256');
  for (const file of [
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
    ...sources(root).map((f) => `src/${f}`),
  ]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** What must be in `dist` when all is built: assets as they are, of TypeScript the code and its declarations. */
const outputs = (root) =>
  sources(root)
    .filter((file) => !file.endsWith('.d.ts'))
    .flatMap((file) => (file.endsWith('.ts') ? [file.replace(/\.ts$/, '.js'), file.replace(/\.ts$/, '.d.ts')] : [file]))
    .map((file) => join(root, 'dist', file));

const assets = (root) => sources(root).filter((file) => !file.endsWith('.ts'));

/** Everything of `src` but the room notes. */
const sources = (root) => filesBelow(join(root, 'src')).filter((file) => basename(file) !== 'README.md');

/** The compiled form of a deleted source would otherwise live on and could still be imported. */
function removeOrphans(root) {
  const wanted = new Set(outputs(root));
  const dist = join(root, 'dist');
  for (const file of filesBelow(dist)) {
    if (/\.(js|d\.ts)$/.test(file) && !wanted.has(join(dist, file))) rmSync(join(dist, file));
  }
}

function filesBelow(dir) {
  const entries = readdirSync(dir, { withFileTypes: true, recursive: true });
  // Node 20.12 renamed `path` to `parentPath`.
  const files = entries
    .filter((entry) => entry.isFile())
    .map((e) => relative(dir, join(e.parentPath ?? e.path, e.name)));
  return files.sort();
}
