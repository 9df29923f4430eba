import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const PROJECT = join(import.meta.dirname, '../..');

/** A part of the set-up, which is plain JavaScript because it must run before anything is installed. */
export const part = (name: string) => import(pathToFileURL(join(PROJECT, 'scripts', name)).href);

/** A folder that looks as much like a clone as the test needs. */
export function createTempProject() {
  const root = mkdtempSync(join(tmpdir(), 'gleaner-setup-'));

  function write(path: string, content: string | object, mode = 0o644): string {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    chmodSync(file, mode);
    return file;
  }
  const program = (path: string, body = 'exit 0') => write(path, `#!/bin/sh\n${body}\n`, 0o755);
  const remove = () => rmSync(root, { recursive: true, force: true });
  return { root, write, program, remove };
}

/** Notes the steps instead of printing them. */
export function createNotes() {
  const steps: string[] = [];
  const step = (name: string, work: () => unknown) => {
    steps.push(name);
    return work();
  };
  return { steps, step, say: () => {}, elapsed: () => '' };
}
