import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { isTerminal } from '../../src/domain/task.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import type { Store } from '../../src/ports/store.js';
import { aPage, hang, openEngine } from '../support/engine-harness.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const crash = (): GleanerError => new GleanerError('browser_crashed', 'The browser died during the visit.');
const tooMuch = (isSuspicion: boolean): GleanerError =>
  new GleanerError('resource_limit', 'The browser took more than 64 MB.', { isSuspicion });
const rendered = aSpec({ render: 'browser' });

describe('a task that crashes what visits it', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  let store: Store;
  let clock: VirtualClock;
  beforeEach(async () => {
    opened = await openTempStore();
    store = opened.store;
    clock = new VirtualClock();
  });
  afterEach(() => opened.end());

  const start = async (browser: Fetcher['fetch'], maxAttempts = 10): Promise<Engine> => {
    const { engine } = openEngine({ store, clock, browser, parts: { maxAttempts } });
    await engine.start();
    return engine;
  };
  const stop = async (engine: Engine, how?: { isCrash: boolean }): Promise<void> => {
    const stopping = engine.stop(0, how);
    await clock.advance(0);
    await stopping;
  };
  const ended = async (engine: Engine, id: string) => {
    for (let turn = 0; turn < 40 && !isTerminal((await engine.task(id)).status); turn++) await clock.advance(30_000);
    return engine.task(id);
  };

  it('fails with poison at the third crash of its own though it has attempts left', async () => {
    const alone: unknown[] = [];
    const engine = await start(async (request) => {
      alone.push(request.alone);
      throw crash();
    });
    const { id } = await engine.submit(rendered, CALLER);
    expect(await ended(engine, id)).toMatchObject({ status: 'failed', code: 'poison', attempts: 4 });
    // Shared once, which counts for nobody; from then on nobody else can be to blame, and nobody else is harmed.
    expect(alone).toEqual([false, true, true, true]);
    await stop(engine);
  });

  it('fails with poison, too, where its attempts end with its third browser, as they do unless somebody sets more', async () => {
    const engine = await start(() => Promise.reject(crash()), 3);
    const { id } = await engine.submit(rendered, CALLER);
    expect(await ended(engine, id)).toMatchObject({ status: 'failed', code: 'poison', attempts: 3 });
    await stop(engine);
  });

  it('keeps saying what it took where its attempts end with too much memory', async () => {
    const engine = await start((request) => Promise.reject(tooMuch(!request.alone)), 3);
    const { id } = await engine.submit(rendered, CALLER);
    expect(await ended(engine, id)).toMatchObject({ status: 'failed', code: 'resource_limit' });
    await stop(engine);
  });

  it('fails as any other where it has fewer attempts than that', async () => {
    const engine = await start(() => Promise.reject(crash()), 2);
    const { id } = await engine.submit(rendered, CALLER);
    expect(await ended(engine, id)).toMatchObject({ status: 'failed', code: 'browser_crashed', attempts: 2 });
    await stop(engine);
  });

  it('is not poisonous for having been in bad company: alone it is found well', async () => {
    const engine = await start(async (request) => {
      if (request.alone) return aPage(request, 'Engineer', 'browser');
      throw crash();
    });
    const { id } = await engine.submit(rendered, CALLER);
    expect(await ended(engine, id)).toMatchObject({ status: 'completed', attempts: 2 });
    await stop(engine);
  });

  it('is suspected no more once a visit alone has ended, though it failed', async () => {
    const alone: unknown[] = [];
    const engine = await start(async (request) => {
      alone.push(request.alone);
      if (alone.length === 1) throw crash();
      if (alone.length === 2) throw new GleanerError('target_server_error', 'The target answered 500.');
      return aPage(request, 'Engineer', 'browser');
    });
    const { id } = await engine.submit(rendered, CALLER);
    expect(await ended(engine, id)).toMatchObject({ status: 'completed', suspicion: null });
    expect(alone).toEqual([false, true, false]);
    await stop(engine);
  });

  it('loses no attempt to the memory of a browser it shared, and fails at once for that of its own', async () => {
    const engine = await start((request) => Promise.reject(tooMuch(!request.alone)));
    const { id } = await engine.submit(rendered, CALLER);
    expect(await ended(engine, id)).toMatchObject({ status: 'failed', code: 'resource_limit', attempts: 1, visits: 2 });
    await stop(engine);
  });

  it('is counted when something unforeseen stops the service, not when it is stopped with grace', async () => {
    const run = async (how?: { isCrash: boolean }): Promise<void> => {
      const engine = await start(hang);
      for (let turn = 0; turn < 90 && (await engine.task(id)).status !== 'running'; turn++) await clock.advance(1_000);
      await stop(engine, how);
    };
    const first = await start(hang);
    const { id } = await first.submit(rendered, CALLER);
    await stop(first);
    await run();
    expect(await store.task(id)).toMatchObject({ status: 'queued', crashes: 0, attempts: 0 });
    for (const crashes of [1, 2]) {
      await run({ isCrash: true });
      expect(await store.task(id)).toMatchObject({ status: 'queued', crashes });
    }
    await run({ isCrash: true });
    expect(await store.task(id)).toMatchObject({ status: 'failed', code: 'poison' });
  });

  const running = async (engine: Engine, ids: string[]): Promise<void> => {
    const isRunning = async (): Promise<boolean> =>
      (await Promise.all(ids.map((id) => engine.task(id)))).every(({ status }) => status === 'running');
    for (let turn = 0; turn < 90 && !(await isRunning()); turn++) await clock.advance(1_000);
    expect(await isRunning()).toBe(true);
  };

  it('is only suspected where others were at work when something unforeseen stopped the service', async () => {
    const engine = await start(hang);
    const ids = [(await engine.submit(rendered, CALLER)).id, (await engine.submit(rendered, CALLER)).id];
    await running(engine, ids);
    await stop(engine, { isCrash: true });
    for (const id of ids) {
      expect(await store.task(id)).toMatchObject({ status: 'queued', suspicion: 'service', crashes: 0, attempts: 1 });
    }
  });

  it('is blamed for nothing that happens once the service stops, not even for a kill', async () => {
    const engine = await start(hang);
    const { id } = await engine.submit(rendered, CALLER);
    await running(engine, [id]);
    void engine.stop(60_000);
    await clock.advance(0);
    // The process is killed here: the next one begins on what is in the store.
    const next = await start(hang);
    expect(await store.task(id)).toMatchObject({ suspicion: null, crashes: 0 });
    await stop(next);
  });

  it('is told of by the start that gives it up, with the end of its job', async () => {
    const first = await start(hang);
    const { job, taskIds } = await first.submitBatch({ targets: [rendered], callbackUrl: null }, CALLER);
    const [id] = taskIds as [string];
    await stop(first);
    for (let crash = 1; crash <= 3; crash++) {
      await store.claim(id, clock.now());
      const { engine, telemetry } = openEngine({ store, clock, browser: hang });
      await engine.start();
      expect(telemetry.convicted).toMatchObject(crash === 3 ? [{ id, status: 'failed', code: 'poison' }] : []);
      await stop(engine);
    }
    expect(await store.job(job.id)).toMatchObject({ status: 'failed' });
  });

  it('ends within its attempts and three crashes of its own, whatever happens to it, and takes its job with it', async () => {
    const happening = fc.constantFrom('crash', 'memory', 'fault', 'well');
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 12 }), async (story) => {
        let visits = 0;
        let crashes = 0;
        let own = 0;
        const engine = await start(async (request) => {
          const event = story[visits++] ?? 'well';
          if (event === 'well') return aPage(request, 'Engineer', 'browser');
          if (event === 'fault') throw new GleanerError('target_server_error', 'The target answered 500.');
          crashes += 1;
          if (request.alone) own += 1;
          throw event === 'crash' ? crash() : tooMuch(!request.alone);
        }, 5);
        const { job, taskIds } = await engine.submitBatch({ targets: [rendered], callbackUrl: null }, CALLER);
        const task = await ended(engine, taskIds[0] ?? '');
        expect(isTerminal(task.status)).toBe(true);
        expect(own).toBeLessThanOrEqual(3);
        expect(task.attempts).toBeLessThanOrEqual(5);
        // At least one of them was in a browser that it shared.
        const isWorn = task.attempts === 5;
        if (task.code === 'poison') expect([own, crashes > own]).toEqual([isWorn && own < 3 ? 2 : 3, true]);
        expect((await engine.job(job.id)).completedAt).not.toBeNull();
        await stop(engine);
      }),
      { numRuns: 40 },
    );
  });
});
