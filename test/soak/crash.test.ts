import { afterAll, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.js';
import { runCrashes } from './crash-run.js';
import { makePlace } from './service-run.js';

const directory = tempDir('crash');
afterAll(() => directory.remove());

it('loses nothing, doubles nothing and leaves nothing in ten kills of every kind', { timeout: 300_000 }, async () => {
  const report = await runCrashes({ kills: 10, seed: 1, place: makePlace(directory.path) });
  expect(report.findings).toEqual([]);
  expect([...report.kinds.values()].reduce((sum, count) => sum + count, 0)).toBe(10);
  expect(report.kinds.size).toBe(8);
  expect(report.integrityOk).toBe(report.integrityChecks);
  expect(report.webhooks).toBeGreaterThan(0);
});
