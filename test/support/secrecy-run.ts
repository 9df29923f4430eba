import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lookThrough, openRun } from './sinks.js';

/** Around a whole run of the tests: at its end everything that left a service is looked through for secrets. */
export function setup(): void {
  openRun(mkdtempSync(join(tmpdir(), 'gleaner-sinks-')));
}

export function teardown(): void {
  const run = process.env.GLEANER_TEST_SINKS!;
  const { bytes, findings } = lookThrough(run);
  rmSync(run, { recursive: true, force: true });
  const seen = [...bytes].sort().map(([kind, count]) => `${kind} ${(count / 1024).toFixed(0)} KiB`);
  console.log(`Looked for secrets in what came out: ${seen.join(', ') || 'nothing'}. Found: ${findings.length}.`);
  if (findings.length === 0) return;
  for (const { kind, where, text } of findings.slice(0, 20))
    console.error(`A secret in a ${kind} (${where}): …${text}…`);
  // What is thrown here is only printed: the run would still count as a success.
  process.exitCode = 1;
}
