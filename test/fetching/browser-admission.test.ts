import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { createBrowserAdmission } from '../../src/fetching/browser-admission.js';
import { createMachine, type MachineLook } from '../../src/fetching/machine.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { tempDir } from '../support/temp-dir.js';
import { VirtualClock } from '../support/virtual-clock.js';

const MIB = 1024 ** 2;
const IDLE: MachineLook = {
  cpuBusy: 0.1,
  loopDelayMs: 1,
  memoryAvailableBytes: 4096 * MIB,
  memoryTotalBytes: 8192 * MIB,
};

const removals: (() => void)[] = [];

afterEach(() => {
  for (const remove of removals.splice(0)) remove();
});

describe('the admission of browser visits', () => {
  it('has the queue follow the machine, and stops looking when it is stopped', async () => {
    const clock = new VirtualClock();
    let look = IDLE;
    const resized: number[] = [];
    const admission = createBrowserAdmission({
      machine: { look: async () => look, cores: async () => 2, close: () => undefined },
      queue: {
        resize: (_, count) => resized.push(count),
        load: () => ({ running: 0, isMoreReady: false }),
      },
      size: 5,
      max: 20,
      clock,
      log: new QuietTelemetry().log,
    });
    admission.start();
    await clock.advance(3_000);
    expect(admission.current()).toEqual({ limit: 5, reason: 'resting' });
    look = { ...IDLE, memoryAvailableBytes: MIB };
    await clock.advance(1_000);
    expect(admission.current()).toEqual({ limit: 1, reason: 'memory' });
    look = IDLE;
    await clock.advance(60_000);
    expect(admission.current()).toMatchObject({ limit: 5 });
    await admission.stop();
    look = { ...IDLE, memoryAvailableBytes: MIB };
    await clock.advance(10_000);
    expect(resized).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('an event loop that stands still from one look to the next', () => {
  it('reads as late, though it had no time to measure its delay', async () => {
    const never = new Int32Array(new SharedArrayBuffer(4));
    const delays: number[] = [];
    const admission = createBrowserAdmission({
      machine: createMachine({ clock: systemClock }),
      queue: { resize: () => undefined, load: () => ({ running: 0, isMoreReady: false }) },
      onLook({ loopDelayMs }) {
        delays.push(loopDelayMs);
        // Until long after the next look is due.
        setImmediate(() => Atomics.wait(never, 0, 0, 1_600));
      },
      size: 5,
      max: 20,
      clock: systemClock,
      log: new QuietTelemetry().log,
    });
    admission.start();
    await expect.poll(() => delays.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    await admission.stop();
    // The first look came before the loop stood still for the first time.
    for (const delay of delays.slice(1)) expect(delay).toBeGreaterThanOrEqual(500);
  });
});

describe('a look at the machine', () => {
  it('tells what this one has left', async () => {
    const machine = createMachine({ clock: systemClock });
    await machine.look();
    const until = performance.now() + 200;
    while (performance.now() < until);
    const { cpuBusy, memoryAvailableBytes, memoryTotalBytes } = await machine.look();
    machine.close();
    expect(cpuBusy).toBeGreaterThan(0);
    expect(cpuBusy).toBeLessThanOrEqual(1);
    expect(memoryAvailableBytes).toBeGreaterThan(0);
    expect(memoryTotalBytes).toBeGreaterThanOrEqual(memoryAvailableBytes);
    expect(await machine.cores()).toBeGreaterThanOrEqual(1);
  });

  it('keeps to the bounds of the container, where they are tighter', async () => {
    const clock = new VirtualClock();
    const { proc, cgroup } = paperSystem();
    const tell = (root: string, name: string, text: string): void => writeFileSync(join(root, name), text);
    tell(proc, 'stat', 'cpu  100 0 100 800 0 0 0 0 0 0\n');
    tell(proc, 'meminfo', 'MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n');
    tell(cgroup, 'cpu.max', '50000 100000\n');
    tell(cgroup, 'cpu.stat', 'usage_usec 1000000\n');
    tell(cgroup, 'memory.max', String(1024 * MIB));
    tell(cgroup, 'memory.current', String(900 * MIB));
    tell(cgroup, 'memory.stat', `anon 1\ninactive_file ${100 * MIB}\n`);
    const machine = createMachine({ clock, proc, cgroup });
    await machine.look();
    await clock.advance(1_000);
    // A tenth of the machine was busy; of the half processor we may use, nine tenths were used.
    tell(proc, 'stat', 'cpu  110 0 110 980 0 0 0 0 0 0\n');
    tell(cgroup, 'cpu.stat', 'usage_usec 1450000\n');
    const { cpuBusy, memoryAvailableBytes, memoryTotalBytes } = await machine.look();
    machine.close();
    expect(cpuBusy).toBeCloseTo(0.9);
    expect([memoryAvailableBytes / MIB, memoryTotalBytes / MIB]).toEqual([224, 1024]);
    expect(await machine.cores()).toBe(1);
  });

  it('does without a container, and without files that tell anything', async () => {
    const { proc, cgroup } = paperSystem();
    writeFileSync(join(cgroup, 'cpu.max'), 'max 100000\n');
    writeFileSync(join(cgroup, 'memory.max'), 'max\n');
    const machine = createMachine({ clock: systemClock, proc, cgroup });
    const look = await machine.look();
    machine.close();
    expect(look.memoryTotalBytes).toBeGreaterThan(0);
    expect(look.memoryAvailableBytes).toBeGreaterThan(0);
    expect(look.cpuBusy).toBe(0);
  });
});

function paperSystem(): { proc: string; cgroup: string } {
  const { path, remove } = tempDir('machine');
  removals.push(remove);
  const [proc, cgroup] = [join(path, 'proc'), join(path, 'cgroup')];
  for (const made of [proc, cgroup]) mkdirSync(made);
  return { proc, cgroup };
}
