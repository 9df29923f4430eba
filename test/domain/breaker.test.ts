import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  askBreaker,
  breakerState,
  isBreakerIdle,
  newBreaker,
  recordAnswer,
  returnProbe,
} from '../../src/domain/breaker.js';

const settings = { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 };

function opened(now = 0) {
  const breaker = newBreaker();
  for (let n = 0; n < 6; n += 1) recordAnswer(breaker, settings, { id: `v${n}`, failed: true, now });
  return breaker;
}

describe('the circuit breaker', () => {
  it('Property 27: opens exactly when the failures among the last answers exceed the threshold', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 11 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        (windowSize, failureThreshold, answers) => {
          const breaker = newBreaker();
          const by = { ...settings, windowSize, failureThreshold };
          for (const [n, failed] of answers.entries()) {
            recordAnswer(breaker, by, { id: `v${n}`, failed, now: n });
            const recent = answers.slice(Math.max(0, n + 1 - windowSize), n + 1);
            const shouldOpen = recent.filter(Boolean).length > failureThreshold;
            expect(breaker.state).toBe(shouldOpen ? 'open' : 'closed');
            if (shouldOpen) return;
          }
        },
      ),
    );
  });

  it('Property 28: an open circuit refuses everybody until the cooldown is over', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.nat(119_999), fc.uuid(), (openedAt, waited, id) => {
        const breaker = opened(openedAt);
        const now = openedAt + waited;
        expect(askBreaker(breaker, settings, { id, now })).toEqual({ kind: 'open', until: openedAt + 120_000 });
        expect(breakerState(breaker, settings, now)).toBe('open');
      }),
    );
  });

  it('Property 29: one probe decides: success closes with an empty window, failure opens for another cooldown', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(10_000), fc.integer({ min: 1, max: 100 }), (failed, late, others) => {
        const breaker = opened(0);
        const now = 120_000 + late;
        expect(askBreaker(breaker, settings, { id: 'probe', now })).toEqual({ kind: 'go' });
        for (let n = 0; n < others; n += 1) {
          expect(askBreaker(breaker, settings, { id: `other${n}`, now })).toEqual({ kind: 'probing' });
        }
        recordAnswer(breaker, settings, { id: 'probe', failed, now: now + 50 });
        if (failed) {
          expect(askBreaker(breaker, settings, { id: 'x', now: now + 50 })).toEqual({
            kind: 'open',
            until: now + 50 + 120_000,
          });
        } else {
          expect(breaker).toEqual(newBreaker());
        }
      }),
    );
  });

  it('lets another probe go when the first brought no answer that counts', () => {
    const breaker = opened(0);
    askBreaker(breaker, settings, { id: 'first', now: 120_000 });
    returnProbe(breaker, 'somebody else');
    expect(askBreaker(breaker, settings, { id: 'second', now: 120_000 })).toEqual({ kind: 'probing' });
    returnProbe(breaker, 'first');
    expect(askBreaker(breaker, settings, { id: 'second', now: 120_000 })).toEqual({ kind: 'go' });
  });

  it('ignores late answers of visits that began before it opened', () => {
    const breaker = opened(0);
    recordAnswer(breaker, settings, { id: 'late', failed: false, now: 10 });
    expect(breaker.state).toBe('open');
    askBreaker(breaker, settings, { id: 'probe', now: 120_000 });
    recordAnswer(breaker, settings, { id: 'late', failed: false, now: 120_001 });
    expect(breaker.state).toBe('half_open');
  });

  it('is idle as long as it remembers no failure', () => {
    const breaker = newBreaker();
    recordAnswer(breaker, settings, { id: 'v', failed: false, now: 0 });
    expect(isBreakerIdle(breaker)).toBe(true);
    recordAnswer(breaker, settings, { id: 'v', failed: true, now: 0 });
    expect(isBreakerIdle(breaker)).toBe(false);
  });
});
