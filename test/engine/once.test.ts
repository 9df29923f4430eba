import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { hang, openEngine } from '../support/engine-harness.js';
import { openTempStore, type TempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const DAY = 24 * 3_600_000;
const once = { key: 'order-1', fingerprint: 'f' };
const other = { key: 'order-1', fingerprint: 'g' };
const batch = { targets: [aSpec(), aSpec()], callbackUrl: null };

describe('a submit with a key', () => {
  let clock: VirtualClock;
  let opened: TempStore;
  let engine: Engine;
  const boot = async (): Promise<void> => {
    ({ engine } = openEngine({ ...opened, clock, queue: { maxDepth: 3 }, parts: { resultTtlMs: 10 * DAY } }));
    await engine.start();
  };
  const stop = async (): Promise<void> => {
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
  };

  beforeEach(async () => {
    clock = new VirtualClock();
    opened = await openTempStore();
    await boot();
  });
  afterEach(async () => {
    await stop();
    await opened.end();
  });

  it('is one task, however often it comes and however close together', async () => {
    const caller = (n: number) => ({ ...CALLER, requestId: `request-${n}` });
    const together = await Promise.all([1, 2, 3].map((n) => engine.submit(aSpec(), caller(n), once)));
    expect(new Set(together.map(({ id }) => id)).size).toBe(1);
    expect(new Set(together.map(({ requestId }) => requestId))).toEqual(new Set(['request-1']));
    await clock.advance(1_000);
    const later = await engine.submit(aSpec(), caller(4), once);
    expect(later).toMatchObject({ id: together[0]?.id, status: 'completed', requestId: 'request-1' });
    expect(engine.queueStats().depth).toBe(0);
  });

  it('is one job, also after a restart', async () => {
    const first = await engine.submitBatch(batch, CALLER, once);
    expect(first.isReplay).toBe(false);
    await stop();
    await opened.reopen();
    await boot();
    const again = await engine.submitBatch(batch, CALLER, once);
    expect(again).toMatchObject({ isReplay: true, job: { id: first.job.id }, taskIds: first.taskIds });
  });

  it('is refused with another request', async () => {
    await engine.submit(aSpec(), CALLER, once);
    await expect(engine.submit(aSpec(), CALLER, other)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    await expect(engine.submitBatch(batch, CALLER, other)).rejects.toMatchObject({ code: 'idempotency_conflict' });
    const racing = { ...once, key: 'order-2' };
    const [won, lost] = await Promise.allSettled([
      engine.submit(aSpec(), CALLER, racing),
      engine.submit(aSpec(), CALLER, { ...other, key: 'order-2' }),
    ]);
    expect([won?.status, lost?.status]).toEqual(['fulfilled', 'rejected']);
  });

  it('is answered also when the queue is full, and takes no room in it', async () => {
    await stop();
    ({ engine } = openEngine({ ...opened, clock, http: hang, queue: { maxDepth: 2, httpConcurrency: 1 } }));
    await engine.start();
    const first = await engine.submit(aSpec(), CALLER, once);
    for (let n = 0; n < 20; n += 1) expect((await engine.submit(aSpec(), CALLER, once)).id).toBe(first.id);
    await clock.advance(0);
    await engine.submit(aSpec(), CALLER);
    await engine.submit(aSpec(), CALLER);
    await expect(engine.submit(aSpec(), CALLER)).rejects.toMatchObject({ code: 'queue_full' });
    expect((await engine.submit(aSpec(), CALLER, once)).id).toBe(first.id);
  });

  it('that was refused leaves the key free', async () => {
    await expect(engine.submit(aSpec({ targetUrl: 'http://127.0.0.1/' }), CALLER, once)).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect((await engine.submit(aSpec(), CALLER, other)).status).toBe('queued');
  });

  it('is a new one after 24 hours', async () => {
    const first = await engine.submit(aSpec(), CALLER, once);
    await clock.advance(DAY - 1_000);
    expect((await engine.submit(aSpec(), CALLER, once)).id).toBe(first.id);
    await clock.advance(1_000);
    expect((await engine.submit(aSpec(), CALLER, other)).id).not.toBe(first.id);
  });
});
