import { parentPort, workerData } from 'node:worker_threads';
import { createCaseAdapter } from './adapters/case-record.js';
import { judgePage } from './adapters/page-verdict.js';
import { registryWith } from './adapters/registry.js';
import type { ReadAnswer, ReadOrder } from './backends/embedded/worker-reader.js';
import type { CaseDescription } from './domain/case-adapter.js';
import { asGleanerError } from './domain/errors.js';
import { createReader } from './engine/reader.js';

/** What a thread that reads long pages runs: one order, one answer. */
const { cases = [] } = (workerData ?? {}) as { cases?: CaseDescription[] };
const reader = createReader({ adapters: registryWith(cases.map(createCaseAdapter)), judgePage });
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
