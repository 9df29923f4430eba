// Stands in for the worker that reads pages: it does what the page says.
import { parentPort, threadId } from 'node:worker_threads';

const verdict = { kind: 'content' };
const read = (record) =>
  parentPort.postMessage({
    kind: 'read',
    reading: {
      contentHash: '',
      verdict,
      lack: null,
      reading: { record, quality: 'ok', provenance: {}, dropped: [], notes: [] },
    },
  });

const deeds = {
  hang() {
    for (;;);
  },
  crash() {
    throw new Error('crashed');
  },
  exit() {
    process.exit(1);
  },
  swell() {
    const kept = [];
    for (;;) kept.push(new Array(100_000).fill(kept.length));
  },
  fail() {
    const cause = new TypeError('of the adapter');
    parentPort.postMessage({ kind: 'failed', code: 'extraction_failed', message: 'The adapter failed.', cause });
  },
};

parentPort.on('message', ({ page }) => (deeds[page.html] ?? (() => read({ threadId, screenshot: page.screenshot })))());
parentPort.postMessage({ kind: 'ready' });
