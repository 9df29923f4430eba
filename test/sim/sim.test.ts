import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeFailure, Report } from './report.js';
import { runSeed } from './run.js';
import { SimFile } from './sim-file.js';

/** Every run of the suite looks at these; `npm run sim` at many more. */
const SEEDS = 300;

describe('the simulator', () => {
  let file: SimFile;
  beforeAll(async () => {
    file = await SimFile.open();
  });
  afterAll(() => file.close());

  it('finds nothing violated, whatever fails, hangs or dies', { timeout: 120_000 }, async () => {
    const report = new Report();
    for (let seed = 1; seed <= SEEDS; seed += 1) report.add(await runSeed(seed, file));
    expect(report.failures.map(describeFailure)).toEqual([]);
    // A world in which nothing happens would hold everything.
    const { counts } = report;
    expect(report.tasks).toBeGreaterThan(SEEDS);
    expect(report.kills).toBeGreaterThan(SEEDS / 4);
    for (const kind of ['site:hang', 'site:throttled_until', 'site:shell', 'site:redirect', 'commit:dies_after'])
      expect(counts[kind], kind).toBeGreaterThan(0);
    for (const kind of ['run', 'client:pause', 'client:resume', 'client:end'])
      expect(counts[kind], kind).toBeGreaterThan(0);
    for (const kind of ['receiver:hang', 'receiver:gone', 'receiver:busy', 'client:repeat', 'jump', 'stop'])
      expect(counts[kind], kind).toBeGreaterThan(0);
  });

  it('runs a seed again event for event', async () => {
    for (const seed of [3, 17, 4_711]) {
      const [first, second] = [await runSeed(seed, file), await runSeed(seed, file)];
      expect(second).toEqual(first);
    }
  });

  it('runs another seed otherwise', async () => {
    const hashes = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) hashes.add((await runSeed(seed, file)).hash);
    expect(hashes.size).toBe(20);
  });
});
