import { describe, expect, it } from 'vitest';
import { flawOf, markdownTable, median, type Run, rowOf, times, verdict } from '../../bench/peers/figures.js';

const run = (changes: Partial<Run>): Run => ({
  pagesPerSecond: 4,
  p50Ms: 1,
  p95Ms: 2,
  failed: 0,
  cpuMs: 300,
  nodeCpuMs: 30,
  rssMb: 1000,
  pssMb: 400,
  requests: 4,
  noise: 0,
  ...changes,
});

describe('the figures of the bench', () => {
  it('take the middle of the rounds, or what lies between the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 9, 1, 5])).toBe(7);
    expect(median([])).toBeNaN();
  });

  it('make a row of medians that keeps the extremes and adds up what failed', () => {
    const runs = [
      run({ pagesPerSecond: 2, failed: 1 }),
      run({ pagesPerSecond: 8 }),
      run({ pagesPerSecond: 5, failed: 2 }),
    ];
    expect(rowOf('ours', runs)).toMatchObject({ name: 'ours', pagesPerSecond: 5, slowest: 2, fastest: 8, failed: 3 });
  });

  it('call a row flawed that has a failed page or a run without a result', () => {
    expect(flawOf(rowOf('ours', [run({})]))).toBeNull();
    expect(flawOf(rowOf('ours', [run({ failed: 2 })]))).toBe('2 pages failed');
    expect(flawOf(rowOf('ours', [run({})], ['no result within 120 s']))).toBe('no result within 120 s');
  });

  it('show a ratio with as many digits as mean something', () => {
    expect([0.9, 1, 1.834, 3.14, 52.6, Number.NaN].map(times)).toEqual(['0.9×', '1×', '1.83×', '3.14×', '53×', '–']);
  });
});

describe('a verdict', () => {
  it('says what was wanted, what came out and whether that is enough', () => {
    expect(verdict({ about: 'ours against theirs', bound: 1.5, measured: 1.834 })).toBe(
      'ours against theirs: target ≥ 1.5×: measured 1.83× — reached',
    );
    expect(verdict({ about: 'ours', bound: 3, measured: 2.994 })).toBe(
      'ours: target ≥ 3×: measured 2.99× — not reached',
    );
  });

  it('is reached by exactly the target', () => {
    expect(verdict({ about: 'ours', bound: 0.9, measured: 0.9 })).toMatch(/— reached$/);
    expect(verdict({ about: 'ours', bound: 1, measured: 1, isLimit: true })).toMatch(/— reached$/);
  });

  it('asks for no more where less is better', () => {
    expect(verdict({ about: 'memory', bound: 1, measured: 1.2, isLimit: true })).toBe(
      'memory: target ≤ 1×: measured 1.2× — not reached',
    );
    expect(verdict({ about: 'memory', bound: 1, measured: 0.8, isLimit: true })).toMatch(/— reached$/);
  });

  it('is not reached by pages that were read wrongly, however fast', () => {
    expect(verdict({ about: 'ours', bound: 3, measured: 9, flaw: '2 pages failed' })).toBe(
      'ours: target ≥ 3×: measured 9× — not reached (2 pages failed)',
    );
  });

  it('is not reached by what could not be measured', () => {
    expect(verdict({ about: 'ours', bound: 3, measured: Number.NaN })).toBe(
      'ours: target ≥ 3×: measured – — not reached',
    );
  });
});

describe('a table', () => {
  it('is markdown', () => {
    expect(markdownTable(['a', 'b'], [['1', '2']])).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |');
  });
});
