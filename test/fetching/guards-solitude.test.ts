import { describe, expect, it } from 'vitest';
import { createSolitudeGuard } from '../../src/fetching/guards/solitude-guard.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

describe('the solitude guard', () => {
  const { signal } = new AbortController();
  const planWith = (crashes: number) => visitPlan('https://jobs.example.com/1', { crashes });

  it('lets one task at a time use its last try, and everybody else go', async () => {
    const guard = createSolitudeGuard({ clock: new VirtualClock() });
    const [first, second] = [planWith(2), planWith(2)];
    expect(await guard.check(first, signal)).toMatchObject({ kind: 'go' });
    expect(await guard.check(second, signal)).toMatchObject({ kind: 'wait', holds: 'task' });
    expect(await guard.check(first, signal)).toMatchObject({ kind: 'go' });
    for (const crashes of [0, 1]) expect(await guard.check(planWith(crashes), signal)).toEqual({ kind: 'go' });
    guard.after?.(planWith(0), { error: null });
    expect(await guard.check(second, signal)).toMatchObject({ kind: 'wait' });
    guard.after?.(first, { error: null });
    expect(await guard.check(second, signal)).toMatchObject({ kind: 'go' });
  });

  it('is free again when the visit does not start after all', async () => {
    const guard = createSolitudeGuard({ clock: new VirtualClock() });
    const verdict = await guard.check(planWith(2), signal);
    if (verdict.kind === 'go') verdict.release?.();
    expect(await guard.check(planWith(2), signal)).toMatchObject({ kind: 'go' });
  });
});
