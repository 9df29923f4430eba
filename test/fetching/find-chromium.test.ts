import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BrowserEngine } from '../../src/domain/browser-engine.js';
import { findChromium } from '../../src/fetching/chromium.js';
import { engineOf } from '../../src/fetching/chromium-flags.js';

// One that Playwright manages on this machine would come before everything here.
vi.hoisted(() => {
  process.env.PLAYWRIGHT_BROWSERS_PATH = '/nowhere';
});

describe('finding Chromium', () => {
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gleaner-find-'));
    const names = ['one/google-chrome', 'two/chromium', 'two/chromium-headless-shell', 'three/chromium-headless-shell'];
    for (const name of [...names, 'one/not-runnable']) {
      await mkdir(dirname(join(dir, name)), { recursive: true });
      await writeFile(join(dir, name), '#!/bin/sh\n');
      await chmod(join(dir, name), name.endsWith('not-runnable') ? 0o644 : 0o755);
    }
  });

  afterAll(() => rm(dir, { recursive: true }));

  it('takes the one that is named, and no other in its place', () => {
    expect(findChromium(join(dir, 'one/google-chrome'))).toBe(join(dir, 'one/google-chrome'));
    expect(findChromium(join(dir, 'one/not-runnable'))).toBeNull();
    expect(findChromium('/nowhere')).toBeNull();
    expect(findChromium(dir)).toBeNull();
  });

  it('prefers the headless shell on the PATH, wherever it stands there', () => {
    const PATH = [join(dir, 'one'), join(dir, 'two')].join(delimiter);
    expect(findChromium(null, { env: { PATH } })).toBe(join(dir, 'two/chromium-headless-shell'));
    expect(engineOf(join(dir, 'two/chromium-headless-shell'))).toBe('shell');
    expect(engineOf('/opt/chrome-headless-shell-linux64/chrome-headless-shell')).toBe('shell');
    expect(engineOf('/usr/bin/chromium')).toBe('chromium');
  });

  it('knows a shell by what it links to, whatever the link is called', async () => {
    const link = join(dir, 'two/browser');
    await symlink(join(dir, 'two/chromium-headless-shell'), link);
    expect(engineOf(link)).toBe('shell');
  });

  it('takes the wanted engine, and the other one where that is not installed', () => {
    const found = (engine: BrowserEngine, ...directories: string[]) =>
      findChromium(null, { engine, env: { PATH: directories.map((name) => join(dir, name)).join(delimiter) } });
    expect(found('chromium', 'one', 'two')).toBe(join(dir, 'two/chromium'));
    expect(found('shell', 'one', 'two')).toBe(join(dir, 'two/chromium-headless-shell'));
    expect(found('shell', 'one')).toBe(join(dir, 'one/google-chrome'));
    expect(found('chromium', 'three')).toBe(join(dir, 'three/chromium-headless-shell'));
    expect(found('chromium', 'four')).toBeNull();
  });
});
