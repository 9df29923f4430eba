import { describe, expect, it } from 'vitest';
import { createDomainStates } from '../../src/domain/domain-states.js';

interface State {
  isIdle: boolean;
}

const setUp = (max?: number) =>
  createDomainStates<State>(
    () => ({ isIdle: false }),
    ({ isIdle }) => isIdle,
    max === undefined ? {} : { max },
  );

describe('what is remembered per domain', () => {
  it('is the same each time until it is let go', () => {
    const states = setUp();
    const state = states.get('a.example');
    expect(states.get('a.example')).toBe(state);
    expect(states.getIfRoom('a.example')).toBe(state);
    expect(states.peek('a.example')).toBe(state);
    expect(states.peek('b.example')).toBeUndefined();
    expect([...states.entries()]).toEqual([['a.example', state]]);
  });

  it('is let go when it is idle, though an older one stays for ever', () => {
    const states = setUp();
    const old = states.get('old.example');
    for (let n = 0; n < 10_000; n += 1) {
      states.get(`site${n}.example`).isIdle = true;
      expect(states.size()).toBeLessThan(10);
    }
    expect(states.peek('old.example')).toBe(old);
  });

  it('is let go however it lies between what stays', () => {
    const states = setUp();
    for (let n = 0; n < 3000; n += 1) states.get(`site${n}.example`).isIdle = n % 3 !== 0;
    for (let n = 0; n < 1000; n += 1) states.get(`late${n}.example`);
    expect(states.size()).toBe(2000);
    for (let n = 0; n < 3000; n += 3) expect(states.peek(`site${n}.example`)).toBeDefined();
  });

  it('is bounded even if nothing of it is idle: one of the oldest goes', () => {
    const states = setUp();
    for (let n = 0; n < 100_500; n += 1) states.get(`site${n}.example`);
    expect(states.size()).toBe(100_000);
    const few = setUp(100);
    for (let n = 0; n < 101; n += 1) few.get(`site${n}.example`);
    expect(few.size()).toBe(100);
    expect(few.peek('site100.example')).toBeDefined();
  });

  it('is never given up for a newcomer that can wait', () => {
    const states = setUp(100);
    const known = Array.from({ length: 100 }, (_, n) => states.getIfRoom(`site${n}.example`));
    expect(states.getIfRoom('late.example')).toBeUndefined();
    for (const [n, state] of known.entries()) expect(states.getIfRoom(`site${n}.example`)).toBe(state);
    known[80]!.isIdle = true;
    // A look at sixty-four each time: the second goes far enough.
    const answers = [states.getIfRoom('late.example'), states.getIfRoom('late.example')];
    expect(answers.at(-1)).toBeDefined();
    expect(states.size()).toBe(100);
    expect(states.peek('site80.example')).toBeUndefined();
  });
});
