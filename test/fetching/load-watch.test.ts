import { describe, expect, it } from 'vitest';
import { createLoadWatch } from '../../src/fetching/load-watch.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';

const LIMITS = { loopDelayMs: 500, heapUsed: 0.85, memoryAvailableBytes: 100 };
const WELL = { loopDelayMs: 1, memoryAvailableBytes: 1_000 };

describe('the watch over the load', () => {
  it('refuses new work with a time to come back, and takes it again when the machine is well', () => {
    const { log, lines } = new QuietTelemetry();
    const load = createLoadWatch({ limits: LIMITS, clock: new VirtualClock(), log, heapUsed: () => 0.1 });
    expect(load.refusal()).toBeNull();
    for (let look = 0; look < 2; look++) load.note({ ...WELL, loopDelayMs: 900 });
    expect(load.refusal()).toMatchObject({ code: 'overloaded', retryAfterMs: 5_000, retryable: true });
    expect(load.current()).toMatchObject({ reason: 'event_loop', loopDelayMs: 900, heapUsed: 0.1 });
    for (let look = 0; look < 3; look++) load.note(WELL);
    expect(load.refusal()).toBeNull();
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('sees a heap that fills up between two looks at the machine', async () => {
    const clock = new VirtualClock();
    let used = 0.5;
    const { log } = new QuietTelemetry();
    const load = createLoadWatch({ limits: LIMITS, clock, log, heapUsed: () => used });
    load.note(WELL);
    used = 0.97;
    expect(load.refusal()).toBeNull();
    await clock.advance(100);
    expect(load.refusal()).toMatchObject({ code: 'overloaded' });
  });

  it('does not take one late moment for two because many ask about it', async () => {
    const clock = new VirtualClock();
    const { log } = new QuietTelemetry();
    const load = createLoadWatch({ limits: LIMITS, clock, log, heapUsed: () => 0.1 });
    load.note({ ...WELL, loopDelayMs: 10_000 });
    for (let asked = 0; asked < 10; asked++) {
      await clock.advance(200);
      expect(load.refusal()).toBeNull();
    }
  });
});
