import { afterEach, describe, expect, it } from 'vitest';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { createRegistry } from '../../src/adapters/registry.js';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import {
  createWorkerReader,
  type WorkerReader,
  type WorkerReaderOptions,
} from '../../src/backends/embedded/worker-reader.js';
import type { Page } from '../../src/domain/page.js';
import { createReader } from '../../src/engine/reader.js';
import type { PageReading, Reader, ReadingWish } from '../../src/ports/reader.js';
import { pageOf } from '../adapters/page.js';

const REAL = { entry: new URL('../../scripts/read-worker.mjs', import.meta.url), memoryMb: 512 };
const TROUBLED = new URL('../support/troubled-worker.mjs', import.meta.url);

const near = createReader({ adapters: createRegistry(), judgePage });
const wish: ReadingWish = { targetType: 'job_posting', now: 0, formats: ['text'], mayEscalate: true };
const never = (): AbortSignal => new AbortController().signal;

let open: WorkerReader[] = [];
afterEach(async () => {
  await Promise.all(open.map((reader) => reader.close()));
  open = [];
});

function workers(over: Partial<WorkerReaderOptions>): WorkerReader {
  const reader = createWorkerReader({
    near,
    longFrom: 0,
    helpFrom: 0,
    isBusy: () => false,
    entry: TROUBLED,
    workers: 1,
    timeoutMs: 20_000,
    memoryMb: 64,
    clock: systemClock,
    ...over,
  });
  open.push(reader);
  return reader;
}

const read = (reader: Reader, html: string, over: Partial<Page> = {}): Promise<PageReading> =>
  reader.read(pageOf(html, over), wish, never());

const threadOf = async (reading: Promise<PageReading>): Promise<unknown> => (await reading).reading?.record.threadId;

/** How often the event loop came round while the work was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

describe('a long page', () => {
  const job = {
    '@type': 'JobPosting',
    title: 'Baker',
    description: 'Bakes bread.',
    hiringOrganization: { name: 'Crumb' },
  };
  const good = `<title>Baker</title><script type="application/ld+json">${JSON.stringify(job)}</script><h1>Baker</h1>`;

  it('is read by a worker as it would be read here, whatever it is and whatever for', async () => {
    const reader = workers(REAL);
    for (const html of [
      good,
      '',
      '<title>Just a moment...</title>',
      '<div id="root"></div><script src="/app.js"></script>',
    ]) {
      for (const targetType of createRegistry().types()) {
        const asked = { ...wish, targetType };
        const far = await reader.read(pageOf(html), asked, never());
        expect(far).toEqual(await near.read(pageOf(html), asked, never()));
      }
    }
  });

  it('leaves the event loop to others, which a page that is read here does not', async () => {
    const reader = workers(REAL);
    await read(reader, good);
    const hostile = '<p><b>Pay:</b> $10'.repeat(50_000);
    expect(await turnsDuring(() => read(near, hostile))).toBe(0);
    expect(await turnsDuring(() => read(reader, hostile))).toBeGreaterThan(10);
  });

  it('is known by its characters: what is shorter is read here', async () => {
    const reader = workers({ longFrom: 10 });
    expect(await threadOf(read(reader, 'x'.repeat(10)))).toBeGreaterThan(0);
    expect(await threadOf(read(reader, 'x'.repeat(9)))).toBeUndefined();
  });

  it('is any of some length while this thread is busy and a worker is not', async () => {
    let isBusy = false;
    const reader = workers({ longFrom: 1_000, helpFrom: 10, isBusy: () => isBusy });
    const thread = (length: number): Promise<unknown> => threadOf(read(reader, 'x'.repeat(length)));
    expect(await thread(10)).toBeUndefined();
    isBusy = true;
    // There is no worker yet: this one has it started, and does not wait for it.
    expect(await thread(10)).toBeUndefined();
    await expect.poll(() => thread(10)).toBeGreaterThan(0);
    expect(await thread(9)).toBeUndefined();
    // Of three at once, the worker takes one to read and one to go on with.
    const three = await Promise.all([thread(10), thread(10), thread(10)]);
    expect(three.filter((id) => id !== undefined)).toHaveLength(2);
    isBusy = false;
    expect(await thread(10)).toBeUndefined();
  });

  it('that a worker would have read next is read by another when that one is lost, and fails when the service stops', async () => {
    const reader = workers({ longFrom: 1_000, helpFrom: 2, isBusy: () => true });
    await expect.poll(() => threadOf(read(reader, 'ok'))).toBeGreaterThan(0);
    const lost = await threadOf(read(reader, 'ok'));
    const crashed = read(reader, 'crash');
    const next = threadOf(read(reader, 'ok'));
    await expect(crashed).rejects.toMatchObject({ code: 'extraction_failed' });
    expect(await next).toBeGreaterThan(lost as number);
    const both = [read(reader, 'hang'), read(reader, 'ok')].map((reading) => reading.catch(({ code }) => code));
    await reader.close();
    expect(await Promise.all(both)).toEqual(['shutting_down', 'shutting_down']);
  });

  it('goes without its picture', async () => {
    const reader = workers({});
    const reading = await read(reader, 'ok', { screenshot: new Uint8Array(3) });
    expect(reading.reading?.record.screenshot).toBeNull();
  });
});

describe('workers', () => {
  it('are as many as are needed, and stay', async () => {
    const reader = workers({ workers: 2 });
    const first = await threadOf(read(reader, 'ok'));
    expect(await threadOf(read(reader, 'ok'))).toBe(first);
    const both = await Promise.all(Array.from({ length: 10 }, () => threadOf(read(reader, 'ok'))));
    expect(new Set(both).size).toBeLessThanOrEqual(2);
  });

  it.each(['crash', 'exit', 'swell'])('that %s fail their page, and others read the next', async (deed) => {
    const reader = workers({});
    const before = await threadOf(read(reader, 'ok'));
    const [lost, next] = await Promise.allSettled([read(reader, deed), threadOf(read(reader, 'ok'))]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'extraction_failed' } });
    expect(next).toMatchObject({ status: 'fulfilled' });
    expect(next).not.toMatchObject({ value: before });
  });

  it('get no more than their time for a page', async () => {
    // Starting one takes time, too.
    const reader = workers({ timeoutMs: 2_000 });
    const [hung, next] = await Promise.allSettled([read(reader, 'hang'), read(reader, 'ok')]);
    expect(hung).toMatchObject({ status: 'rejected', reason: { code: 'extraction_failed' } });
    expect(next).toMatchObject({ status: 'fulfilled' });
  });

  it('are not late because we are: what they have read while our event loop stood still counts', async () => {
    const reader = workers({ timeoutMs: 2_000 });
    await read(reader, 'ok');
    const reading = read(reader, 'ok');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    await expect(reading).resolves.toMatchObject({ lack: null });
  });

  it('say why an adapter failed, and read on', async () => {
    const reader = workers({});
    const cause = expect.objectContaining({ name: 'TypeError', message: 'of the adapter' });
    await expect(read(reader, 'fail')).rejects.toMatchObject({ code: 'extraction_failed', cause });
    await expect(read(reader, 'ok')).resolves.toMatchObject({ lack: null });
  });

  it('that cannot start fail every page, and nobody waits for them', async () => {
    const reader = workers({ entry: new URL('./there-is-none.mjs', import.meta.url), workers: 2 });
    const all = await Promise.allSettled([1, 2, 3].map(() => read(reader, 'ok')));
    expect(all.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(Array(3).fill('extraction_failed'));
  });
});

describe('who reads', () => {
  it('is let go when the signal aborts, at work or waiting, and those behind come next', async () => {
    const reader = workers({ timeoutMs: 500 });
    const abort = new AbortController();
    const hung = reader.read(pageOf('hang'), wish, abort.signal);
    const behind = reader.read(pageOf('ok'), wish, abort.signal);
    const last = read(reader, 'ok');
    abort.abort(new Error('enough'));
    await expect(hung).rejects.toThrow('enough');
    await expect(behind).rejects.toThrow('enough');
    await expect(last).resolves.toMatchObject({ lack: null });
    await expect(reader.read(pageOf('ok'), wish, abort.signal)).rejects.toThrow('enough');
  });

  it('fails when the service stops, at work or waiting', async () => {
    const reader = workers({});
    const all = Promise.allSettled([read(reader, 'hang'), read(reader, 'ok')]);
    await reader.close();
    expect((await all).map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
      Array(2).fill('shutting_down'),
    );
    await expect(read(reader, 'ok')).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
