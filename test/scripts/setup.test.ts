import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNotes, createTempProject, PROJECT, part } from './temp-project.js';

const { checkNode } = await part('setup.mjs');
const { packagesNeed } = await part('setup/packages.mjs');
const { build, ensureBuild, isBuilt } = await part('setup/build.mjs');

let project: ReturnType<typeof createTempProject>;
let root: string;
beforeEach(() => {
  project = createTempProject();
  root = project.root;
});
afterEach(() => project.remove());
const write: typeof project.write = (...args) => project.write(...args);
const program: typeof project.program = (...args) => project.program(...args);

describe('the Node check', () => {
  it('accepts Node 20 and newer, and says what it got otherwise', () => {
    checkNode('20.19.0');
    checkNode('24.1.2');
    expect(() => checkNode('18.20.1')).toThrow('Node 20.19 or newer is needed; this is Node 18.20.1.');
  });
});

describe('the packages', () => {
  const lockFile = (version: string) => ({
    lockfileVersion: 3,
    packages: {
      '': { name: 'x' },
      'node_modules/better-sqlite3': { version },
      'node_modules/for-another-platform': { version: '1.0.0', optional: true },
    },
  });
  const native = (works: boolean) =>
    write(
      'node_modules/better-sqlite3/index.js',
      works ? 'module.exports = class { close() {} }' : "throw new Error('compiled for another Node')",
    );
  const note = (version: string) =>
    write('node_modules/.package-lock.json', { packages: { 'node_modules/better-sqlite3': { version } } });

  beforeEach(() => {
    write('package-lock.json', lockFile('12.0.0'));
  });

  it('are installed when there are none', async () => {
    expect(await packagesNeed(root)).toBe('install');
  });

  it('are installed when the lock file has moved on', async () => {
    native(true);
    note('11.0.0');
    expect(await packagesNeed(root)).toBe('install');
  });

  it('are taken as they are when npm itself installed what the lock file says', async () => {
    native(true);
    note('12.0.0');
    expect(await packagesNeed(root)).toBe('stamp');
  });

  it('are only rebuilt when all that changed is Node', async () => {
    native(false);
    note('12.0.0');
    expect(await packagesNeed(root)).toBe('rebuild');
  });
});

describe('the build', () => {
  beforeEach(() => {
    // As bare as can be: a full standard library makes each of these builds take seconds.
    const options = { module: 'NodeNext', target: 'ES2023', lib: ['ES5'], types: [], strict: true };
    write('tsconfig.json', { compilerOptions: options });
    cpSync(join(PROJECT, 'tsconfig.build.json'), join(root, 'tsconfig.build.json'));
    write('package.json', { type: 'module' });
    write('package-lock.json', '{}');
    mkdirSync(join(root, 'node_modules'));
    symlinkSync(join(PROJECT, 'node_modules/typescript'), join(root, 'node_modules/typescript'));
    write('src/main.ts', "import { x } from './room/part.js';\nexport const y = x;\n");
    write('src/room/part.ts', 'export const x: number = 1;\n');
    write('src/room/page.html', '<p>');
    write('src/room/README.md', 'notes');
  });

  it('happens once, again after a change, and leaves nothing of what was deleted', async () => {
    const notes = createNotes();
    await ensureBuild(root, notes);
    await ensureBuild(root, notes);
    expect(notes.steps).toEqual(['Building']);
    expect(readdirSync(join(root, 'dist/room')).sort()).toEqual(['page.html', 'part.d.ts', 'part.js']);

    write('src/main.ts', 'export const y = 2;\n');
    rmSync(join(root, 'src/room/part.ts'));
    await ensureBuild(root, notes);
    expect(notes.steps).toHaveLength(2);
    expect(readFileSync(join(root, 'dist/main.js'), 'utf8')).toContain('y = 2');
    expect(readdirSync(join(root, 'dist/room'))).toEqual(['page.html']);

    for (const file of ['dist/main.js', 'dist/main.d.ts']) {
      rmSync(join(root, file));
      await ensureBuild(root, notes);
      expect(existsSync(join(root, file)), file).toBe(true);
    }
  });

  it('that fails says why and does not count as done', async () => {
    write('src/room/part.ts', "export const x: number = 'one';\n");
    await expect(build(root)).rejects.toMatchObject({
      message: 'The build failed.',
      output: expect.stringContaining('src/room/part.ts(1,14)'),
    });
    expect(isBuilt(root)).toBe(false);
  });
});

describe('the commands on a fresh clone', () => {
  let env: NodeJS.ProcessEnv;
  const command = (name: string) => promisify(execFile)(process.execPath, [`scripts/${name}.mjs`], { cwd: root, env });

  beforeEach(() => {
    cpSync(join(PROJECT, 'scripts'), join(root, 'scripts'), { recursive: true });
    // A package that comes from a folder, so that no network is needed: a compiler of one line.
    write('vendor/typescript/package.json', { name: 'typescript', version: '1.0.0' });
    write(
      'vendor/typescript/bin/tsc',
      "for (const end of ['js', 'd.ts']) require('node:fs').cpSync('src/main.ts', 'dist/main.' + end)",
    );
    const own = { name: 'x', version: '1.0.0', type: 'module', dependencies: { typescript: 'file:vendor/typescript' } };
    write('package.json', own);
    write('package-lock.json', {
      ...own,
      lockfileVersion: 3,
      packages: {
        '': own,
        'node_modules/typescript': { resolved: 'vendor/typescript', link: true },
        'vendor/typescript': { version: '1.0.0' },
      },
    });
    write('tsconfig.json', {});
    write('tsconfig.build.json', {});
    write('src/main.ts', 'console.log(1)');
    const settings = Object.keys(process.env).filter((name) => name.startsWith('SCRAPER_'));
    const plain = Object.entries(process.env).filter(([name]) => !settings.includes(name));
    env = { ...Object.fromEntries(plain), SCRAPER_CHROMIUM_PATH: program('chromium') };
  });

  it('install and build what is missing, and only look the second time', async () => {
    const first = await command('setup');
    expect(first.stderr).toMatch(
      /✓ Installing packages \(.*\n.*Building …\n✓ Building \(.*\n✓ Ready in .*, with full Chromium, .*chromium\n {2}For the headless shell: .*\n$/,
    );
    expect(first.stdout).toBe('');
    const from = performance.now();
    const second = await command('setup');
    expect(performance.now() - from).toBeLessThan(2000);
    expect(second.stderr).toMatch(/^✓ Ready in .*\n {2}For .*\n$/);

    write('src/main.ts', 'console.log(2)');
    const both = await Promise.all([command('setup'), command('setup')]);
    expect(both.filter(({ stderr }) => stderr.includes('Building'))).toHaveLength(1);
  });

  it('say what is wrong and fail when a step cannot be done', async () => {
    env.SCRAPER_CHROMIUM_PATH = '/nowhere';
    await expect(command('setup')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\nSCRAPER_CHROMIUM_PATH is "\/nowhere", which is not a Chromium that starts\.\n$/),
    });
  });

  it('start the service in the same process, so that signals reach it', async () => {
    write(
      'src/main.ts',
      "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1000); console.log('up')",
    );
    const child = spawn(process.execPath, ['scripts/start.mjs'], { cwd: root, env });
    const code = new Promise((done) => child.on('exit', done));
    child.stdout.once('data', () => child.kill('SIGTERM'));
    expect(await code).toBe(7);
  });

  it('show the service beside a website of its own in the demo, and leave nothing behind', async () => {
    write(
      'src/main.ts',
      `const { SCRAPER_SERVICE_KEY, SCRAPER_EGRESS_ALLOW, SCRAPER_DATA_DIR } = process.env;
       console.log(JSON.stringify({ SCRAPER_SERVICE_KEY, SCRAPER_EGRESS_ALLOW, SCRAPER_DATA_DIR }));`,
    );
    env.DEMO_SITE_PORT = '0';
    const { stdout, stderr } = await command('demo');
    expect(stderr).toMatch(/The demo site is at http:\/\/127\.0\.0\.1:\d+, .* with the key demo-key\./);
    const seen = JSON.parse(stdout);
    expect(seen).toMatchObject({ SCRAPER_SERVICE_KEY: 'demo-key', SCRAPER_EGRESS_ALLOW: '127.0.0.1' });
    expect(existsSync(join(seen.SCRAPER_DATA_DIR, '..'))).toBe(false);
  });
});
