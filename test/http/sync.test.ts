import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { ERROR_TABLE, type ErrorCode } from '../../src/domain/errors.js';
import { MemoryEngine } from '../support/memory-engine.js';
import { hangingRequest, listening, openDoor, registry, SCRAPE, type TestDoor, target } from './support.js';

const SYNC = `${SCRAPE}/sync`;

describe('the synchronous route', () => {
  let door: TestDoor;
  beforeEach(async () => {
    door = await openDoor();
  });
  afterEach(() => door.app.close());

  const theTask = async (): Promise<string> => {
    while (door.engine.tasks.size === 0) await sleep(5);
    return [...door.engine.tasks.keys()][0]!;
  };

  it('answers 200 with the task as soon as it completes', async () => {
    const answer = door.post(SYNC, target({ timeout_seconds: 30 }));
    const id = await theTask();
    door.engine.run(id);
    await sleep(20);
    door.engine.complete(id, { job_title: 'Engineer' });
    const response = await answer;
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toMatchObject({ task_id: id, status: 'completed', result: { job_title: 'Engineer' } });
  });

  it.each(Object.keys(ERROR_TABLE) as ErrorCode[])(
    'answers a visit that ended with %s by the status of that code',
    async (code) => {
      door.engine.visit = (id) => door.engine.fail(id, code, 'What happened.');
      const response = await door.post(SYNC, target());
      expect(response.statusCode).toBe(ERROR_TABLE[code].status);
      const [id] = door.engine.tasks.keys();
      expect(response.json()).toMatchObject({ success: false, data: null, meta: { code, task_id: id } });
      expect(response.headers['retry-after'] !== undefined).toBe(response.statusCode === 503);
    },
  );

  it('names the task whose result cannot be sent now, since too much is on its way to others', async () => {
    const answers = { atOnce: 1, underWayBytes: 0 };
    const busy = await openDoor({ limits: { maxRequestBytes: 1024, requestTimeoutMs: 1_000, answers } });
    busy.engine.visit = (id) => busy.engine.complete(id, { job_title: 'Engineer' });
    const response = await busy.post(SYNC, target());
    const [id] = busy.engine.tasks.keys();
    expect(response.statusCode).toBe(503);
    expect(response.json().meta).toMatchObject({ code: 'overloaded', task_id: id });
    expect(response.headers['retry-after']).toBe('5');
    expect((await busy.get(`${SCRAPE}/${id}`)).json().meta.code).toBe('overloaded');
    await busy.app.close();
  });

  it('tells when to come back where the visit found that out', async () => {
    door.engine.visit = (id) => door.engine.fail(id, 'circuit_open', 'Left alone.', Date.now() + 90_000);
    const response = await door.post(`${SCRAPE}/sync`, target());
    door.engine.visit = undefined;
    expect(response.statusCode).toBe(503);
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(89);
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(90);
    expect(response.json().meta.retry_after_seconds).toBe(Number(response.headers['retry-after']));
  });

  it('answers 202 with the place to ask when the time is up, and the task lives on', async () => {
    // The shortest wait a caller may ask for is five seconds; the clock of this engine is that much faster.
    const engine = new MemoryEngine(registry, {
      ...systemClock,
      wait: (ms, signal) => systemClock.wait(ms / 100, signal),
    });
    const hasty = await openDoor({ engine });
    const response = await hasty.post(SYNC, target({ timeout_seconds: 5 }));
    const [id] = engine.tasks.keys();
    expect(response.statusCode).toBe(202);
    expect(response.headers.location).toBe(`${SCRAPE}/${id}`);
    expect(response.json().data).toEqual({ task_id: id, status: 'queued' });
    expect(engine.abandoned).toEqual([]);
    await hasty.app.close();
  });

  it.each([4, 121, 5.5, '30', null, 2 ** 53])('refuses timeout_seconds %s', async (value) => {
    const response = await door.post(SYNC, target({ timeout_seconds: value }));
    expect(response.statusCode).toBe(422);
    expect(response.json().meta.fields).toEqual([
      { field: 'timeout_seconds', message: 'must be an integer from 5 to 120.', value },
    ]);
  });

  describe('when the client hangs up', () => {
    async function hangUpAfter(ready: (id: string) => void): Promise<string> {
      const client = hangingRequest(await listening(door.app), { path: SYNC, body: target() });
      const id = await theTask();
      ready(id);
      await sleep(20);
      client.destroy();
      while (door.engine.abandoned.length === 0) await sleep(5);
      return id;
    }

    it('cancels a task that is still queued', async () => {
      const id = await hangUpAfter(() => undefined);
      expect(door.engine.abandoned).toEqual([id]);
      expect(door.engine.tasks.get(id)?.status).toBe('cancelled');
    });

    it('leaves a task alone that is already running', async () => {
      const id = await hangUpAfter((taskId) => door.engine.run(taskId));
      expect(door.engine.tasks.get(id)?.status).toBe('running');
    });

    it('writes one line that says so, and goes on answering others', async () => {
      await hangUpAfter(() => undefined);
      await sleep(20);
      expect(door.answered).toEqual([expect.objectContaining({ route: SYNC, status: 499 })]);
      expect((await door.get('/health')).statusCode).toBe(200);
    });
  });
});
