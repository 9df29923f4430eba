import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../src/fetching/chromium.js';

/** In a process of its own, because the hooks are of the whole process: what is there once a browser has been used? */
async function hooksAfterUsing(playwright: string): Promise<boolean> {
  const script = `
    import { executionAsyncId } from 'node:async_hooks';
    import { chromium } from '${playwright}';
    const browser = await chromium.launch({ executablePath: ${JSON.stringify(findChromium(null))}, chromiumSandbox: false });
    const page = await (await browser.newContext()).newPage();
    await page.goto('data:text/html,<title>x</title>');
    const title = await page.title();
    await browser.close();
    // With hooks on, every promise has an id of its own.
    const ids = new Set();
    for (let i = 0; i < 10; i++) ids.add(await Promise.resolve().then(() => executionAsyncId()));
    console.log(JSON.stringify({ title, hooks: ids.size > 1 }));`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: new URL('../..', import.meta.url) });
  const { title, hooks } = JSON.parse(stdout) as { title: string; hooks: boolean };
  expect(title).toBe('x');
  return hooks;
}

describe('Playwright as the service loads it', () => {
  it('leaves the promises of the process alone', async () => {
    expect(await hooksAfterUsing('./src/fetching/playwright.ts')).toBe(false);
  });

  // Node 24 needs no hooks for it. When this fails on the oldest Node we support, the loading by ourselves can go.
  it.runIf(Number(process.versions.node.split('.')[0]) < 24)('would watch each of them otherwise', async () => {
    expect(await hooksAfterUsing('playwright')).toBe(true);
  });
});
