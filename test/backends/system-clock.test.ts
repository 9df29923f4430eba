import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';

describe('the system clock', () => {
  it('never calls back before the time, and not at all once taken back', async () => {
    const early: number[] = [];
    const waits = Array.from({ length: 300 }, async (_, n) => {
      const ms = 5 + (n % 40) * 0.37;
      const begun = performance.now();
      await systemClock.wait(ms);
      const left = ms - (performance.now() - begun);
      if (left > 0) early.push(left);
    });
    let called = false;
    systemClock.after(1, () => {
      called = true;
    })();
    await Promise.all(waits);
    expect(early).toEqual([]);
    expect(called).toBe(false);
  });

  it('ends a wait when its signal aborts', async () => {
    const controller = new AbortController();
    const begun = performance.now();
    const wait = systemClock.wait(60_000, controller.signal);
    controller.abort();
    await wait;
    await systemClock.wait(60_000, AbortSignal.abort());
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('keeps its word for times that no single timer can hold', async () => {
    let called = false;
    const takeBack = systemClock.after(2 ** 32, () => {
      called = true;
    });
    await systemClock.wait(20);
    takeBack();
    expect(called).toBe(false);
  });

  it('hears what has come while the event loop stood still before it calls anything late', async () => {
    const never = new Int32Array(new SharedArrayBuffer(4));
    const server = createServer((socket) => socket.end('here')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const order: string[] = [];
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', () => order.push('answer'));
    await once(socket, 'connect');
    const late = new Promise<void>((resolve) => {
      systemClock.after(50, () => {
        order.push('late');
        resolve();
      });
    });
    Atomics.wait(never, 0, 0, 1_000);
    await late;
    expect(order).toEqual(['answer', 'late']);
    server.close();
  });

  it('calls back though the event loop stands still again and again', async () => {
    const never = new Int32Array(new SharedArrayBuffer(4));
    let isOver = false;
    const stand = (): void => {
      Atomics.wait(never, 0, 0, 600);
      if (!isOver) setTimeout(stand, 10);
    };
    stand();
    await systemClock.wait(100);
    isOver = true;
  });
});
