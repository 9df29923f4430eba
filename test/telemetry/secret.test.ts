import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.js';

describe('Secret', () => {
  const secret = new Secret('CANARY-svc-7f3a9c');

  it('gives its value only when asked by name', () => {
    expect(secret.reveal()).toBe('CANARY-svc-7f3a9c');
  });

  it('prints as [redacted] however it is printed', () => {
    const prints = [
      String(secret),
      `${secret}`,
      `${'' + secret}`,
      secret.toString(),
      JSON.parse(JSON.stringify(secret)),
      inspect(secret),
      inspect(secret, { showHidden: true, depth: 9 }),
      [secret].join(),
    ];
    expect(new Set(prints)).toEqual(new Set(['[redacted]']));
  });

  it('keeps its value through spreading, cloning and nesting', () => {
    const copies = [{ ...secret }, structuredClone(secret), Object.entries(secret), Object.assign({}, secret)];
    expect(JSON.stringify([copies, { deep: [{ secret }] }]) + inspect(copies)).not.toContain('CANARY');
    expect(JSON.stringify({ deep: [{ secret }] })).toBe('{"deep":[{"secret":"[redacted]"}]}');
    expect(inspect({ deep: { secret } })).toContain('[redacted]');
  });
});
