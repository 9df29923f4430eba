import { describe, expect, it } from 'vitest';
import { soakRetrieval } from '../support/retrieval-soak.js';

describe('a retrieval whose service is killed again and again', () => {
  it('brings every case to exactly one outcome, and asks for nothing twice that was recorded', {
    timeout: 180_000,
  }, async () => {
    const report = await soakRetrieval({ ids: 150, kills: 5, seed: 7, baseMs: 60, longestMs: 900 });
    expect(report.kills).toBe(5);
    // On a machine that is done sooner, the other kills would show little.
    expect(report.killsUnderWay).toBeGreaterThanOrEqual(3);
    expect(report.requests).toBeGreaterThanOrEqual(150);
    expect(Object.values(report.outcomes).reduce((sum, count) => sum + count)).toBe(150);
  });
});
