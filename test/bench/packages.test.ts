import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Packages = Record<string, string>;
const read = (path: string): { dependencies: Packages; devDependencies?: Packages } =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../..', path), 'utf8'));

describe('the packages of the bench', () => {
  const peers = Object.entries(read('bench/package.json').dependencies);

  it('are pinned: a figure belongs to a version', () => {
    expect(peers.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('are of our own version where we use them too, or two versions of one library would be compared', () => {
    const { dependencies, devDependencies } = read('package.json');
    const own: Packages = { ...dependencies, ...devDependencies };
    const shared = peers.filter(([name]) => name in own);
    expect(shared.length).toBeGreaterThan(0);
    expect(shared.filter(([name, version]) => own[name] !== version)).toEqual([]);
  });
});
