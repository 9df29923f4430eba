import { parentPort } from 'node:worker_threads';
import { judgePage } from './adapters/page-verdict.js';
import { createRegistry } from './adapters/registry.js';
import type { ReadAnswer, ReadOrder } from './backends/embedded/worker-reader.js';
import { asGleanerError } from './domain/errors.js';
import { createReader } from './engine/reader.js';

/** What a thread that reads long pages runs: one order, one answer. */
const reader = createReader({ adapters: createRegistry(), judgePage });
const never = new AbortController().signal;
const say = (answer: ReadAnswer): void => parentPort?.postMessage(answer);

parentPort?.on('message', ({ page, wish }: ReadOrder) => {
  reader.read(page, wish, never).then((reading) => say({ kind: 'read', reading }), fail);
});

function fail(error: unknown): void {
  const { code, message, cause } = asGleanerError(error);
  // Only what is an error can surely be sent; who it was shows in its stack.
  say({ kind: 'failed', code, message, cause: cause instanceof Error ? cause : undefined });
}

say({ kind: 'ready' });
