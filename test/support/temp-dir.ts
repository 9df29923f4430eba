import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepFiles } from './sinks.js';

/** A directory of its own for one test; `remove` when done. */
export function tempDir(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `gleaner-${name}-`));
  const remove = (): void => {
    keepFiles(path);
    rmSync(path, { recursive: true, force: true });
  };
  return { path, remove };
}
