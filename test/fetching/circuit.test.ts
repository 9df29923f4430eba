import { createHook } from 'node:async_hooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Circuit } from '../../src/fetching/circuit.js';

const settings = { windowSize: 10, failureThreshold: 5, cooldownMs: 120_000 };

function opened(now = 0): Circuit {
  const circuit = new Circuit(settings);
  for (let n = 0; n < 6; n += 1) circuit.record({ id: `v${n}`, failed: true, now });
  return circuit;
}

describe('the circuit of a domain', () => {
  it('Property 27: opens exactly when the failures among the last answers exceed the threshold', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 11 }),
        fc.array(fc.boolean(), { maxLength: 60 }),
        (windowSize, failureThreshold, answers) => {
          const circuit = new Circuit({ ...settings, windowSize, failureThreshold });
          for (const [n, failed] of answers.entries()) {
            const hasOpened = circuit.record({ id: `v${n}`, failed, now: n });
            const recent = answers.slice(Math.max(0, n + 1 - windowSize), n + 1);
            const shouldOpen = recent.filter(Boolean).length > failureThreshold;
            expect(hasOpened).toBe(shouldOpen);
            expect(circuit.state(n)).toBe(shouldOpen ? 'open' : 'closed');
            if (shouldOpen) return;
          }
        },
      ),
    );
  });

  it('Property 28: an open circuit refuses everybody until the cooldown is over', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.nat(119_999), fc.uuid(), (openedAt, waited, id) => {
        const circuit = opened(openedAt);
        const now = openedAt + waited;
        expect(circuit.ask({ id, now })).toEqual({ kind: 'open', until: openedAt + 120_000 });
        expect(circuit.state(now)).toBe('open');
        expect(circuit.nextProbeMs(now)).toBe(120_000 - waited);
      }),
    );
  });

  it('Property 29: one probe decides: success closes with an empty window, failure opens for another cooldown', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(10_000), fc.integer({ min: 1, max: 100 }), (failed, late, others) => {
        const circuit = opened(0);
        const now = 120_000 + late;
        expect(circuit.ask({ id: 'probe', now })).toEqual({ kind: 'go' });
        for (let n = 0; n < others; n += 1) {
          expect(circuit.ask({ id: `other${n}`, now })).toEqual({ kind: 'probing' });
        }
        expect(circuit.record({ id: 'probe', failed, now: now + 50 })).toBe(failed);
        if (failed) {
          expect(circuit.ask({ id: 'x', now: now + 50 })).toEqual({ kind: 'open', until: now + 50 + 120_000 });
          return;
        }
        expect(circuit.state(now + 50)).toBe('closed');
        for (let n = 0; n < 5; n += 1) circuit.record({ id: `v${n}`, failed: true, now: now + 60 });
        expect(circuit.state(now + 60)).toBe('closed');
        expect(circuit.record({ id: 'sixth', failed: true, now: now + 60 })).toBe(true);
      }),
    );
  });

  it('lets another probe go when the first brought no answer that counts', () => {
    const circuit = opened(0);
    circuit.ask({ id: 'first', now: 120_000 });
    circuit.giveBack('somebody else');
    expect(circuit.ask({ id: 'second', now: 120_000 })).toEqual({ kind: 'probing' });
    expect(circuit.nextProbeMs(120_000)).toBeNull();
    circuit.giveBack('first');
    expect(circuit.nextProbeMs(120_000)).toBe(0);
    expect(circuit.ask({ id: 'second', now: 120_000 })).toEqual({ kind: 'go' });
    expect(circuit.ask({ id: 'third', now: 120_000 })).toEqual({ kind: 'probing' });
  });

  it('ignores late answers of visits that began before it opened', () => {
    const circuit = opened(0);
    circuit.record({ id: 'late', failed: false, now: 10 });
    expect(circuit.state(10)).toBe('open');
    circuit.ask({ id: 'probe', now: 120_000 });
    circuit.record({ id: 'late', failed: false, now: 120_001 });
    circuit.record({ id: 'later', failed: true, now: 120_001 });
    expect(circuit.state(120_001)).toBe('half_open');
    expect(circuit.isProbing()).toBe(true);
  });

  it('is closed and forgets by a reset; the probe that was out then counts as any other visit', () => {
    const circuit = opened(0);
    circuit.ask({ id: 'probe', now: 120_000 });
    circuit.reset();
    expect(circuit.state(120_000)).toBe('closed');
    expect(circuit.ask({ id: 'x', now: 120_000 })).toEqual({ kind: 'go' });
    expect(circuit.record({ id: 'probe', failed: true, now: 120_001 })).toBe(false);
    expect(circuit.failures()).toBe(1);
  });

  it('never starts a timer, whatever happens to it', async () => {
    let timers = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'Timeout') timers += 1;
      },
    }).enable();
    const circuits = Array.from({ length: 20 }, () => opened(0));
    for (const [n, circuit] of circuits.entries()) {
      circuit.ask({ id: 'first', now: 120_000 });
      circuit.giveBack('first');
      circuit.ask({ id: 'second', now: 120_000 });
      circuit.record({ id: 'second', failed: n % 2 === 0, now: 120_000 });
      if (n % 3 === 0) circuit.reset();
    }
    await new Promise((resolve) => setImmediate(resolve));
    hook.disable();
    expect(timers).toBe(0);
  });

  it('leaves no listeners behind on what all circuits share', async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error) => warnings.push(warning);
    process.on('warning', keep);
    const circuits = Array.from({ length: 100 }, () => opened(0));
    for (const circuit of circuits) circuit.ask({ id: 'probe', now: 120_000 });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', keep);
    expect(warnings).toEqual([]);
  });
});
