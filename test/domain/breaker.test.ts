import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerWindow, countAnswer, failuresIn } from '../../src/domain/breaker.js';

describe('the window of the last answers', () => {
  it('counts exactly the failures among the last answers, and says when they are too many', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 11 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        (windowSize, failureThreshold, answers) => {
          const window: AnswerWindow = [];
          for (const [n, failed] of answers.entries()) {
            const isTooMany = countAnswer(window, { windowSize, failureThreshold }, failed);
            const failures = answers.slice(Math.max(0, n + 1 - windowSize), n + 1).filter(Boolean).length;
            expect(failuresIn(window)).toBe(failures);
            expect(isTooMany).toBe(failures > failureThreshold);
          }
        },
      ),
    );
  });

  it('remembers nothing as long as nothing has failed, and no more than its size', () => {
    const window: AnswerWindow = [];
    const settings = { windowSize: 10, failureThreshold: 10 };
    for (let n = 0; n < 100; n += 1) countAnswer(window, settings, false);
    expect(window).toEqual([]);
    for (let n = 0; n < 100; n += 1) countAnswer(window, settings, n % 2 === 0);
    expect(window.length).toBeLessThanOrEqual(10);
    for (let n = 0; n < 10; n += 1) countAnswer(window, settings, false);
    expect(window).toEqual([]);
  });
});
