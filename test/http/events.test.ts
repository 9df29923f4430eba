import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import type { JobEvent } from '../../src/domain/job-event.js';
import { MemoryEngine } from '../support/memory-engine.js';
import { lookAt } from '../support/sinks.js';
import { hangingRequest, listening, openDoor, registry, SCRAPE, type TestDoor, target, UUID } from './support.js';

const UNKNOWN = '0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let door: TestDoor;
beforeEach(async () => {
  door = await openDoor();
});
afterEach(() => door.app.close());

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(5);
};
const pathOf = (jobId: string): string => `${SCRAPE}/jobs/${jobId}/events`;

async function openJob(
  size: number,
  { post }: TestDoor = door,
): Promise<{ path: string; id: string; tasks: string[] }> {
  const { data } = (await post(`${SCRAPE}/batch`, { targets: Array(size).fill(target()) })).json();
  return { id: data.job_id, path: pathOf(data.job_id), tasks: data.task_ids };
}

const ask = (path: string, lastEventId: string) =>
  door.call({ method: 'GET', url: path, headers: { 'last-event-id': lastEventId } });

/** The blocks of a stream that have come completely. */
const blocksOf = (text: string): string[] => text.split('\n\n').slice(0, -1);
const idsOf = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
const oneTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** A client that reads a stream over a real socket. */
async function follow(port: number, path: string, headers: Record<string, string> = {}) {
  const client = hangingRequest(port, { path, headers });
  const response = await new Promise<IncomingMessage>((resolve) => client.once('response', resolve));
  const reader = { text: '', ended: false, response, hangUp: () => client.destroy() };
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    reader.text += part;
  });
  response.on('error', () => undefined);
  response.on('close', () => lookAt('answer', reader.text, 'events'));
  response.on('end', () => {
    reader.ended = true;
  });
  return reader;
}

describe('the events of a job', () => {
  it('are told from the beginning, then as they happen, until it is over', async () => {
    const { path, id, tasks } = await openJob(2);
    const reader = await follow(await listening(door.app), path);
    expect(reader.response.statusCode).toBe(200);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(UUID),
    });
    await until(() => blocksOf(reader.text).length === 2);
    for (const task of tasks) door.engine.run(task);
    await until(() => idsOf(reader.text).length === 4);
    expect(reader.ended).toBe(false);
    door.engine.complete(tasks[0]!, { job_title: 'Engineer' });
    door.engine.fail(tasks[1]!, 'target_timeout', 'Too slow.');
    await until(() => reader.ended);

    const [retry, ...blocks] = blocksOf(reader.text);
    expect(retry).toBe('retry: 2000');
    const told = blocks.map((block) => {
      const [number, kind, data, ...rest] = block.split('\n');
      expect(rest).toEqual([]);
      return { number, kind, data: JSON.parse(data!.replace(/^data: /, '')) };
    });
    const at = expect.stringMatching(ISO);
    const ofTask = (task: string | undefined, status: string, attempts: number, code?: string) => ({
      kind: 'event: task',
      data: { job_id: id, task_id: task, status, attempts, ...(code && { code }), at },
    });
    const ofJob = (status: string) => ({ kind: 'event: job', data: { job_id: id, status, at } });
    const wanted = [
      ofJob('queued'),
      ofTask(tasks[0], 'running', 1),
      ofJob('running'),
      ofTask(tasks[1], 'running', 1),
      ofTask(tasks[0], 'completed', 1),
      ofTask(tasks[1], 'failed', 1, 'target_timeout'),
      ofJob('partially_completed'),
    ];
    expect(told).toEqual(wanted.map((event, index) => ({ number: `id: ${index + 1}`, ...event })));
    expect(door.engine.events.open).toBe(0);
  });

  it('can be read afterwards too, all of them', async () => {
    const { path, tasks } = await openJob(3);
    for (const task of tasks) door.engine.complete(task, {});
    const response = await door.get(path);
    expect(response.statusCode).toBe(200);
    expect(idsOf(response.body)).toEqual(oneTo(6));
    expect(door.answered.at(-1)).toMatchObject({ route: `${SCRAPE}/jobs/:jobId/events`, status: 200 });
  });

  it('go on after Last-Event-ID, without gaps and without repeats, whenever the stream breaks', async () => {
    const { path, tasks } = await openJob(20);
    const port = await listening(door.app);
    const seen: number[] = [];
    const work = tasks.flatMap((task) => [() => door.engine.run(task), () => door.engine.complete(task, {})]);
    while (work.length > 0 || seen.length < 43) {
      const reader = await follow(port, path, seen.length === 0 ? {} : { 'last-event-id': String(seen.at(-1)) });
      for (const step of work.splice(0, 7)) step();
      await until(() => reader.ended || idsOf(reader.text).length >= 5);
      reader.hangUp();
      seen.push(...idsOf(reader.text));
    }
    expect(seen).toEqual(oneTo(43));
    await until(() => door.engine.events.open === 0);
  });

  it('go on after the query parameter too; the header wins', async () => {
    const { path, tasks } = await openJob(1);
    door.engine.complete(tasks[0]!, {});
    expect(idsOf((await door.get(`${path}?last_event_id=1`)).body)).toEqual([2, 3]);
    expect(idsOf((await door.get(`${path}?last_event_id=0`)).body)).toEqual([1, 2, 3]);
    expect(idsOf((await ask(`${path}?last_event_id=1`, '2')).body)).toEqual([3]);
    expect(idsOf((await ask(path, '000000000000002')).body)).toEqual([3]);
  });

  it('are answered 204 when all has been told, so that an EventSource stops asking', async () => {
    const { path, tasks } = await openJob(1);
    door.engine.complete(tasks[0]!, {});
    for (const last of ['3', '999999999999999']) {
      const response = await ask(path, last);
      expect(response.statusCode).toBe(204);
      expect(response.body).toBe('');
      expect(response.headers['content-type']).toBeUndefined();
      expect(response.headers['x-request-id']).toMatch(UUID);
      expect(response.headers['cache-control']).toBe('no-store');
    }
    expect(door.engine.events.open).toBe(0);
  });

  it('are interrupted by a comment when nothing happens for long', async () => {
    // Fifteen seconds are thirty milliseconds on the clock of this engine.
    const wait = (ms: number, signal?: AbortSignal) => systemClock.wait(ms / 500, signal);
    const engine = new MemoryEngine(registry, { ...systemClock, wait });
    const hasty = await openDoor({ engine });
    const { path, tasks } = await openJob(1, hasty);
    const reader = await follow(await listening(hasty.app), path);
    await until(() => blocksOf(reader.text).filter((block) => block === ': keep-alive').length >= 2);
    engine.complete(tasks[0]!, {});
    await until(() => reader.ended);
    expect(idsOf(reader.text)).toEqual([1, 2, 3]);
    await hasty.app.close();
  });
});

describe('a question for events that is refused', () => {
  it.each(['', '-1', '1.5', 'x', '1 2', '+1', '0x1', '1'.repeat(16)])(
    'because Last-Event-ID is "%s" names it and its value',
    async (value) => {
      const { path } = await openJob(1);
      const response = await ask(path, value);
      expect(response.statusCode).toBe(422);
      expect(response.json().meta).toMatchObject({
        code: 'validation_failed',
        fields: [{ field: 'Last-Event-ID', message: 'must be the number of an event: 1 to 15 digits.', value }],
      });
    },
  );

  it.each([
    ['last_event_id=-1', 'last_event_id', -1],
    ['last_event_id=x', 'last_event_id', 'x'],
    ['last_event_id=', 'last_event_id', ''],
    [`last_event_id=${'1'.repeat(16)}`, 'last_event_id', '1'.repeat(16)],
    ['after=1', 'after', '1'],
  ])('because of the query %s names the parameter and its value', async (query, field, value) => {
    const response = await door.get(`${(await openJob(1)).path}?${query}`);
    expect(response.statusCode).toBe(422);
    expect(response.json().meta.fields).toMatchObject([{ field, value }]);
  });

  it('because Last-Event-ID comes twice says so', async () => {
    const { path } = await openJob(1);
    const headers = { 'last-event-id': ['1', '1'] as unknown as string };
    const { response } = await follow(await listening(door.app), path, headers);
    expect(response.statusCode).toBe(422);
  });

  it('because there is no such job, no key, no place or no store is answered with the envelope', async () => {
    for (const id of ['x', UNKNOWN]) expect((await door.get(pathOf(id))).json().meta.code).toBe('job_not_found');
    const { path } = await openJob(1);
    expect((await door.app.inject(path)).statusCode).toBe(401);
    door.engine.events.maxOpen = 0;
    const full = await door.get(path);
    expect(full.statusCode).toBe(503);
    expect(full.headers['content-type']).toMatch(/^application\/json/);
    expect(full.json().meta).toMatchObject({ code: 'too_many_streams', retryable: true, retry_after_seconds: 5 });
    door.engine.broken = new GleanerError('storage_unavailable', 'Disk.');
    expect((await door.get(path)).json().meta.code).toBe('storage_unavailable');
  });

  it('because of its method is answered like anywhere else', async () => {
    const { path, tasks } = await openJob(1);
    const posted = await door.call({ method: 'POST', url: path });
    expect(posted.statusCode).toBe(405);
    expect(posted.headers.allow).toBe('GET, HEAD');
    const head = await door.call({ method: 'HEAD', url: path });
    expect(head.statusCode).toBe(200);
    expect(head.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(head.body).toBe('');
    await until(() => door.engine.events.open === 0);
    door.engine.complete(tasks[0]!, {});
    const over = await door.call({ method: 'HEAD', url: path, headers: { 'last-event-id': '3' } });
    expect(over.statusCode).toBe(204);
    expect((await door.call({ method: 'HEAD', url: pathOf(UNKNOWN) })).statusCode).toBe(404);
  });
});

describe('a stream', () => {
  const errors = () => door.logLines.filter(({ level }) => Number(level) >= 40);

  it('ends when the client goes away, also while nothing happens, and leaves one line in the log', async () => {
    const { path } = await openJob(1);
    const reader = await follow(await listening(door.app), path);
    await until(() => idsOf(reader.text).length === 1);
    expect(door.engine.events.open).toBe(1);
    const before = door.logLines.length;
    reader.hangUp();
    await until(() => door.engine.events.open === 0 && door.logLines.length > before);
    await sleep(20);
    expect(door.logLines.slice(before)).toMatchObject([{ status: 499, msg: 'Request answered' }]);
  });

  it('that opens after its client has gone is given back unread', async () => {
    const { path } = await openJob(1);
    const open = door.engine.jobEvents.bind(door.engine);
    let signal: AbortSignal | undefined;
    door.engine.jobEvents = async (id, options) => {
      const events = await open(id, options);
      ({ signal } = options);
      await until(() => options.signal.aborted);
      return events;
    };
    const client = hangingRequest(await listening(door.app), { path });
    await until(() => signal !== undefined);
    client.destroy();
    await until(() => signal?.aborted === true && door.engine.events.open === 0);
    await sleep(20);
    expect(door.answered.at(-1)).toMatchObject({ status: 499 });
    expect(errors()).toEqual([]);
  });

  it('that the engine breaks off ends quietly for the client and loudly in the log', async () => {
    const { path, id } = await openJob(1);
    const reader = await follow(await listening(door.app), path);
    await until(() => idsOf(reader.text).length === 1);
    door.engine.events.fault = new Error('the insides');
    door.engine.events.wake();
    await until(() => reader.ended);
    expect(reader.text).not.toContain('insides');
    expect(errors()).toMatchObject([{ level: 50, job_id: id, err: { message: 'the insides' } }]);
    expect(door.answered.at(-1)).toMatchObject({ status: 200 });
    expect((await door.get('/health')).statusCode).toBe(200);
  });

  it('does not keep the application from closing', async () => {
    const { path } = await openJob(1);
    const port = await listening(door.app);
    const readers = await Promise.all([follow(port, path), follow(port, path)]);
    const startedAt = performance.now();
    await door.app.close();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await until(() => readers.every(({ ended }) => ended));
    expect(door.engine.events.open).toBe(0);
    expect(errors()).toEqual([]);
  });

  it('is read no faster than its client reads', async () => {
    const total = 120_000;
    let asked = 0;
    let isOver = false;
    async function* many(): AsyncGenerator<JobEvent> {
      try {
        for (asked = 1; asked <= total; asked++) {
          yield { seq: asked, at: 0, kind: 'task', taskId: UNKNOWN, status: 'running', attempts: 1, code: null };
        }
      } finally {
        isOver = true;
      }
    }
    door.engine.jobEvents = async () => many();
    const port = await listening(door.app);
    const path = pathOf(UNKNOWN);
    const slow = await follow(port, path);
    slow.response.pause();
    let before = 0;
    do {
      before = asked;
      await sleep(200);
    } while (asked !== before);
    expect(asked).toBeLessThan(total);
    slow.response.resume();
    await until(() => slow.ended);
    expect(idsOf(slow.text)).toEqual(oneTo(total));

    isOver = false;
    const gone = await follow(port, path);
    gone.response.pause();
    await sleep(50);
    gone.hangUp();
    await until(() => isOver);
    expect(asked).toBeLessThan(total);
  });
});
