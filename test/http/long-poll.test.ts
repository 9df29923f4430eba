import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { MemoryEngine } from '../support/memory-engine.js';
import { hangingRequest, listening, openDoor, registry, SCRAPE, type TestDoor, target } from './support.js';

describe('asking for a task with `wait`', () => {
  let door: TestDoor;
  beforeEach(async () => {
    door = await openDoor();
  });
  afterEach(() => door.app.close());

  const submitted = async (): Promise<string> => (await door.post(SCRAPE, target())).json().data.task_id;
  const asked = async (id: string, isWaiting = true): Promise<void> => {
    while (door.engine.waitingFor(id) > 0 !== isWaiting) await sleep(5);
  };

  it('is answered as soon as the task has ended', async () => {
    const id = await submitted();
    const answer = door.get(`${SCRAPE}/${id}?wait=120`);
    await asked(id);
    door.engine.run(id);
    door.engine.complete(id, { job_title: 'Engineer' });
    const response = await answer;
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toMatchObject({ status: 'completed', result: { job_title: 'Engineer' } });
  });

  it('is answered with 200 for a task that failed: the question was what became of it', async () => {
    const id = await submitted();
    const answer = door.get(`${SCRAPE}/${id}?wait=120`);
    await asked(id);
    door.engine.fail(id, 'target_timeout', 'Too slow.');
    expect((await answer).json()).toMatchObject({ success: true, data: { status: 'failed', code: 'target_timeout' } });
  });

  it('is answered at once when it has ended already, without `wait` and with `wait=0`', async () => {
    const id = await submitted();
    for (const query of ['', '?wait=0']) {
      expect((await door.get(`${SCRAPE}/${id}${query}`)).json().data.status).toBe('queued');
    }
    door.engine.complete(id, {});
    expect((await door.get(`${SCRAPE}/${id}?wait=120`)).json().data.status).toBe('completed');
  });

  it('is answered with the task as it is when the time is up', async () => {
    // A second is the shortest wait; the clock of this engine is a hundred times faster.
    const engine = new MemoryEngine(registry, {
      ...systemClock,
      wait: (ms, signal) => systemClock.wait(ms / 100, signal),
    });
    const hasty = await openDoor({ engine });
    const id = (await hasty.post(SCRAPE, target())).json().data.task_id;
    engine.run(id);
    const response = await hasty.get(`${SCRAPE}/${id}?wait=1`);
    expect(response.statusCode).toBe(200);
    expect(response.json().data.status).toBe('running');
    expect(engine.waitingFor(id)).toBe(0);
    await hasty.app.close();
  });

  it.each([
    ['-1', -1],
    ['121', 121],
    ['1.5', '1.5'],
    ['soon', 'soon'],
    ['', ''],
    ['9'.repeat(16), '9'.repeat(16)],
  ])('refuses wait=%s', async (text, value) => {
    const response = await door.get(`${SCRAPE}/${await submitted()}?wait=${text}`);
    expect(response.statusCode).toBe(422);
    expect(response.json().meta.fields).toEqual([
      { field: 'wait', message: 'must be an integer from 0 to 120.', value },
    ]);
  });

  it('refuses a second `wait` and parameters nobody knows, and does not wait for a task that is not there', async () => {
    const id = await submitted();
    expect((await door.get(`${SCRAPE}/${id}?wait=1&wait=2`)).json().meta.fields[0].field).toBe('wait');
    expect((await door.get(`${SCRAPE}/${id}?timeout=1`)).json().meta.fields[0].field).toBe('timeout');
    for (const missing of ['x', '0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11']) {
      expect((await door.get(`${SCRAPE}/${missing}?wait=120`)).json().meta.code).toBe('task_not_found');
    }
  });

  it('ends when the client hangs up; the task goes on', async () => {
    const id = await submitted();
    const client = hangingRequest(await listening(door.app), { path: `${SCRAPE}/${id}?wait=120` });
    await asked(id);
    client.destroy();
    await asked(id, false);
    while (door.answered.length < 2) await sleep(5);
    expect(door.answered.at(-1)).toMatchObject({ route: `${SCRAPE}/:taskId`, status: 499 });
    expect(door.engine.tasks.get(id)?.status).toBe('queued');
    expect(door.engine.abandoned).toEqual([]);
  });
});
