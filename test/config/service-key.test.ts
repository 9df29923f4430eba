import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings, SettingsError, serviceKeys } from '../../src/config.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gleaner-key-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const generated = (dataDir: string) => serviceKeys({ serviceKey: [], dataDir });

describe('the service key', () => {
  it('is the configured one, and then no file is written', () => {
    const settings = loadSettings({ SCRAPER_SERVICE_KEY: 'configured-1,configured-2', SCRAPER_DATA_DIR: dir });
    expect(serviceKeys(settings)).toEqual({ keys: ['configured-1', 'configured-2'], file: null });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is made once without configuration, readable only by its owner, and used again by later starts', () => {
    const dataDir = join(dir, 'not', 'there', 'yet');
    const settings = loadSettings({ SCRAPER_DATA_DIR: dataDir });
    const first = serviceKeys(settings);
    expect(first.file).toBe(join(dataDir, 'service-key'));
    expect(first.keys[0]).toMatch(/^[\w-]{43}$/);
    expect(statSync(first.file!).mode & 0o777).toBe(0o600);
    expect(serviceKeys(settings)).toEqual(first);
    expect(readdirSync(dataDir)).toEqual(['service-key']);
  });

  it('differs between data directories', () => {
    expect(generated(join(dir, 'a')).keys).not.toEqual(generated(join(dir, 'b')).keys);
  });

  it('is one and the same when several processes start at once', async () => {
    const script = `import { serviceKeys } from './src/config.ts';
      process.stdout.write(serviceKeys({ serviceKey: [], dataDir: process.argv[1] }).keys[0]);`;
    const start = () =>
      promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script, dir]);
    const keys = (await Promise.all([start(), start(), start()])).map(({ stdout }) => stdout);
    expect(new Set(keys).size).toBe(1);
    expect(readFileSync(join(dir, 'service-key'), 'utf8').trim()).toBe(keys[0]);
    expect(readdirSync(dir)).toEqual(['service-key']);
  });

  it('is refused when the file holds something else, without showing it', () => {
    writeFileSync(join(dir, 'service-key'), 'oops');
    expect(() => generated(dir)).toThrow(SettingsError);
    expect(() => generated(dir)).not.toThrow(/oops/);
    writeFileSync(join(dir, 'service-key'), '\n');
    expect(() => generated(dir)).toThrow(/or no such file/);
  });
});
