import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of its own for one test; `remove` when done. */
export function tempDir(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `gleaner-${name}-`));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
