import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { HIDDEN, SettingsError } from './settings-fault.js';

interface SecretFile {
  file: string;
  /** A fresh one. Called only where there is no file. */
  make: () => string;
  /** The setting it stands for says what is good: the file may hold whatever the variable may. */
  read: (text: string) => readonly string[] | undefined;
  wish: string;
}

/** Makes the file unless it is there, and answers what is in it. Starts at the same time agree on one content. */
export function ensureSecretFile({ file, make, read, wish }: SecretFile): readonly string[] {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = readIfThere(file) ?? writeOnce(file, `${make()}\n`);
  const secrets = read(text.trim());
  if (secrets && secrets.length > 0) return secrets;
  throw new SettingsError([{ key: file, value: HIDDEN, wish: `${wish}, or no such file` }]);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    // A new secret in its place would lock out everybody who has the old one.
    const value = (error as NodeJS.ErrnoException).code ?? 'an error';
    throw new SettingsError([{ key: file, value, wish: 'a file that can be read, or no such file' }]);
  }
}

/** All or nothing, and the first writer wins: a link cannot replace what is there. Answers what the file holds. */
function writeOnce(file: string, text: string): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
    linkSync(draft, file);
    return text;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return readFileSync(file, 'utf8');
    // Some mounted volumes know no hard links; there a rename must do.
    if (!isCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
    renameSync(draft, file);
    return text;
  } finally {
    closeSync(handle);
    rmSync(draft, { force: true });
  }
}

const isCode = (error: unknown, ...codes: string[]) =>
  codes.includes((error as NodeJS.ErrnoException | null)?.code ?? '');
