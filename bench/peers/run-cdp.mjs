/**
 * The floor of an isolated page in a browser: CDP over a pipe and nothing above it, a context for every URL, pictures
 * and styles blocked.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BLOCKED_PATTERNS } from './blocked.mjs';
import { factsInPage, isScripted, leave, Meter, READY, readAll, runnerOptions } from './runner.mjs';

const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--disable-dev-shm-usage',
  '--disable-breakpad',
  '--disable-field-trial-config',
  '--metrics-recording-only',
  '--mute-audio',
  '--hide-scrollbars',
  '--disable-features=HttpsUpgrades,MediaRouter,OptimizationHints,PaintHolding,SpareRendererForSitePerProcess',
];

const options = runnerOptions();
const profile = mkdtempSync(join(tmpdir(), 'bench-cdp-'));
const child = spawn(options.chromium, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
  stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
});
const connection = connect(child.stdio[3], child.stdio[4]);

const NOW = `(${factsInPage})()`;
const WHEN_READY = `new Promise((resolve) => {
  const look = () => (document.querySelector('${READY}') ? resolve(${NOW}) : setTimeout(look, 10));
  look();
})`;

await readAll(options, new Meter(options), async (url) => {
  const { contextId, sessionId } = await openPage();
  try {
    const loaded = connection.event(sessionId, 'Page.domContentEventFired');
    await connection.send('Page.navigate', { url }, sessionId);
    await loaded;
    const expression = isScripted(url) ? WHEN_READY : NOW;
    const wish = { expression, returnByValue: true, awaitPromise: true };
    return (await connection.send('Runtime.evaluate', wish, sessionId)).result.value;
  } finally {
    await connection.send('Target.disposeBrowserContext', { browserContextId: contextId });
  }
});
connection.send('Browser.close').catch(() => {});
await Promise.race([once(child, 'exit'), pause(3000, null, { ref: false })]);
rmSync(profile, { recursive: true, force: true });
leave();

async function openPage() {
  const { browserContextId } = await connection.send('Target.createBrowserContext', { disposeOnDetach: true });
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  await Promise.all([
    connection.send('Page.enable', {}, sessionId),
    connection.send('Network.enable', {}, sessionId),
    connection.send('Network.setBlockedURLs', BLOCKED_PATTERNS, sessionId),
  ]);
  return { contextId: browserContextId, sessionId };
}

/** Messages are JSON, each ended by a zero byte. */
function connect(input, output) {
  const answers = new Map();
  const awaited = new Map();
  let lastId = 0;
  let unread = '';

  function receive({ id, result, error, method, sessionId }) {
    if (!id) {
      awaited.get(`${sessionId} ${method}`)?.();
      return;
    }
    const { resolve, reject } = answers.get(id);
    answers.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }

  output.setEncoding('utf8').on('data', (text) => {
    const messages = (unread + text).split('\0');
    unread = messages.pop();
    for (const message of messages) receive(JSON.parse(message));
  });
  return {
    send: (method, params = {}, sessionId = undefined) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        answers.set(id, { resolve, reject });
        input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
    event: (sessionId, method) =>
      new Promise((resolve) => {
        const key = `${sessionId} ${method}`;
        awaited.set(key, () => {
          awaited.delete(key);
          resolve();
        });
      }),
  };
}
