import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNotes, createTempProject, part } from './temp-project.js';

const { describeChromium, ensureChromium, findChromium } = await part('setup/chromium.mjs');

let project: ReturnType<typeof createTempProject>;
let root: string;
beforeEach(() => {
  project = createTempProject();
  root = project.root;
});
afterEach(() => project.remove());
const write: typeof project.write = (...args) => project.write(...args);
const program: typeof project.program = (...args) => project.program(...args);

describe('Chromium', () => {
  const env = () => ({
    PATH: [join(root, 'bin1'), join(root, 'bin2')].join(':'),
    PLAYWRIGHT_BROWSERS_PATH: join(root, 'ms'),
  });
  const browsers = () =>
    write('node_modules/playwright-core/browsers.json', {
      browsers: [
        { name: 'chromium', revision: '7' },
        { name: 'chromium-headless-shell', revision: '7' },
      ],
    });

  it('is the one that was asked for, or a clear sentence', async () => {
    const mine = program('mine');
    program('bin1/chromium');
    expect(await findChromium(root, { ...env(), SCRAPER_CHROMIUM_PATH: mine })).toBe(mine);
    for (const path of [join(root, 'nowhere'), root, program('broken', 'exit 127')]) {
      const found = findChromium(root, { ...env(), SCRAPER_CHROMIUM_PATH: path });
      await expect(found).rejects.toThrow(`SCRAPER_CHROMIUM_PATH is "${path}", which is not a Chromium that starts.`);
    }
  });

  it('is one managed by Playwright, of the right revision and completely installed, before one on the PATH', async () => {
    browsers();
    const onPath = program('bin2/chromium');
    program('ms/chromium_headless_shell-6/linux/chrome-headless-shell');
    write('ms/chromium_headless_shell-6/INSTALLATION_COMPLETE', '');
    const full = program('ms/chromium-7/chrome-linux64/chrome');
    expect(await findChromium(root, env())).toBe(onPath);
    write('ms/chromium-7/INSTALLATION_COMPLETE', '');
    expect(await findChromium(root, env())).toBe(full);
    const shell = program('ms/chromium_headless_shell-7/linux/chrome-headless-shell');
    write('ms/chromium_headless_shell-7/INSTALLATION_COMPLETE', '');
    expect(await findChromium(root, env())).toBe(shell);
  });

  it('is the headless shell before a full one, and never one that does not start', async () => {
    const chrome = program('bin1/google-chrome');
    expect(await findChromium(root, env())).toBe(chrome);
    const chromium = program('bin2/chromium');
    expect(await findChromium(root, env())).toBe(chromium);
    program('bin1/chromium-headless-shell', 'exit 127');
    expect(await findChromium(root, env())).toBe(chromium);
    const shell = program('bin2/chromium-headless-shell');
    expect(await findChromium(root, env())).toBe(shell);
  });

  it('is of the engine that the setting asks for, where that is installed', async () => {
    const shell = program('bin1/chromium-headless-shell');
    const chromium = { ...env(), SCRAPER_BROWSER_ENGINE: 'Chromium' };
    const full = program('bin2/chromium');
    expect(await findChromium(root, chromium)).toBe(full);
    expect(await findChromium(root, { ...env(), SCRAPER_BROWSER_ENGINE: 'shell' })).toBe(shell);
    expect(describeChromium(root, full, chromium)).toEqual([
      `full Chromium, ${full}`,
      'For the headless shell: it is here, too; SCRAPER_BROWSER_ENGINE=shell uses it.',
    ]);
  });

  it('is the one that is there, and what the other takes is said', async () => {
    const full = program('bin1/google-chrome');
    const notes = createNotes();
    expect(await ensureChromium(root, notes, env())).toBe(full);
    expect(notes.steps).toEqual([]);
    const said = (more: object) => describeChromium(root, full, { ...env(), ...more })[1];
    expect(said({})).toMatch(/^For the headless shell: .*(apt-get|npx).*; SCRAPER_BROWSER_ENGINE asks for it\.$/);
    expect(said({ SCRAPER_CHROMIUM_PATH: full })).toMatch(/; SCRAPER_CHROMIUM_PATH names another one\.$/);
  });

  it('is fetched beside another one only for a setting that names it, and missed only in words', async () => {
    const shell = program('bin1/chromium-headless-shell');
    write('node_modules/playwright/cli.js', `process.exit(process.argv.includes('--no-shell') ? 1 : 2)`);
    const notes = createNotes();
    expect(await ensureChromium(root, notes, { ...env(), SCRAPER_BROWSER_ENGINE: 'chromium' })).toBe(shell);
    expect(notes.steps[0]).toBe('Downloading full Chromium');
    expect(notes.steps).not.toContain('Installing chromium-headless-shell');
  });

  it('is downloaded when there is none', async () => {
    browsers();
    const shell = join(root, 'ms/chromium_headless_shell-7/linux/chrome-headless-shell');
    write(
      'node_modules/playwright/cli.js',
      `const fs = require('node:fs');
       if (process.argv.slice(2).join(' ') !== 'install chromium --only-shell') process.exit(1);
       fs.mkdirSync(${JSON.stringify(dirname(shell))}, { recursive: true });
       fs.writeFileSync(${JSON.stringify(shell)}, '#!/bin/sh\\nexit 0\\n', { mode: 0o755 });
       fs.writeFileSync(${JSON.stringify(join(root, 'ms/chromium_headless_shell-7/INSTALLATION_COMPLETE'))}, '');`,
    );
    const notes = createNotes();
    expect(await ensureChromium(root, notes, env())).toBe(shell);
    expect(notes.steps).toEqual(['Downloading the headless shell']);
  });

  const mayUseApt = process.getuid?.() === 0 && existsSync('/etc/debian_version');

  it.runIf(mayUseApt)('comes from apt where we are root on Debian and the download failed', async () => {
    program(
      'bin1/apt-get',
      `echo "$@" >> ${root}/apt.log
       case "$*" in *' chromium') printf '#!/bin/sh\\nexit 0\\n' > ${root}/bin2/chromium; /bin/chmod +x ${root}/bin2/chromium;; *) exit 100;; esac`,
    );
    mkdirSync(join(root, 'bin2'));
    expect(await ensureChromium(root, createNotes(), env())).toBe(join(root, 'bin2/chromium'));
    expect(readFileSync(join(root, 'apt.log'), 'utf8')).toBe(
      'update\ninstall -y --no-install-recommends chromium-headless-shell\ninstall -y --no-install-recommends chromium\n',
    );
  });

  it('is asked for in one sentence when nothing helps', async () => {
    await expect(ensureChromium(root, createNotes(), env())).rejects.toMatchObject({
      message: expect.stringMatching(/^No Chromium was found .* SCRAPER_CHROMIUM_PATH to the executable of one\.$/),
      output: expect.stringMatching(/^.*(\n.*){0,2}$/),
    });
  });
});
