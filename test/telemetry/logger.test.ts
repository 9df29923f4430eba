import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Fastify, { LogController } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { Secret } from '../../src/domain/secret.js';
import { MAX_LINE_BYTES } from '../../src/telemetry/log-line.js';
import { KNOWN, KNOWN_CORES, SPELLINGS, UNKNOWN } from './canaries.js';
import { BOOT_ID, listeningTelemetry, taskOf, visitOf } from './harness.js';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the words of a log entry', () => {
  it('writes level as a word, an ISO timestamp, the message and the boot id where there is no request', () => {
    const { telemetry, entries } = listeningTelemetry({ now: () => 0 });
    telemetry.log.warn({ queueDepth: 3, nested: { camelCase: true } }, 'nearly full');
    expect(entries()).toEqual([
      {
        level: 'warn',
        timestamp: '1970-01-01T00:00:00.000Z',
        request_id: BOOT_ID,
        message: 'nearly full',
        queue_depth: 3,
        nested: { camel_case: true },
      },
    ]);
  });

  it('does not let fields pass for the words of the envelope', () => {
    const { telemetry, entries } = listeningTelemetry({ now: () => 0 });
    telemetry.log.info({ level: 'x', timestamp: 'y', message: 'z', request_id: '' }, 'said');
    expect(entries()[0]).toMatchObject({ level: 'info', timestamp: '1970-01-01T00:00:00.000Z', message: 'said' });
    expect(entries()[0]).toMatchObject({ request_id: BOOT_ID, field_level: 'x', field_message: 'z' });
  });

  it('writes nothing below its level', () => {
    const { telemetry, lines } = listeningTelemetry({ level: 'warn' });
    telemetry.log.debug({}, 'no');
    telemetry.log.info({}, 'no');
    telemetry.log.error({}, 'yes');
    expect(lines).toHaveLength(1);
  });

  it('understands the ways pino is called', () => {
    const { pino, entries } = listeningTelemetry();
    pino.info('plain %s and %d', 'text', 7);
    pino.error(new TypeError('broken'));
    pino.error(new TypeError('broken'), 'it %s', 'broke');
    pino.info({ message: 'only fields' });
    pino.info('100% of %s');
    expect(entries().map((entry) => entry.message)).toEqual([
      'plain text and 7',
      'broken',
      'it broke',
      'only fields',
      '100% of %s',
    ]);
    expect(entries()[1]!.err).toMatchObject({ type: 'TypeError', message: 'broken' });
  });

  it('describes errors by type, code, message, stack and a bounded chain of causes', () => {
    const { telemetry, entries } = listeningTelemetry();
    const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', socket: { big: 1 } });
    telemetry.log.error({ err: new GleanerError('connect_failed', 'No connection.', { cause: root }) }, 'failed');
    const [{ err }] = entries() as [{ err: Record<string, unknown> }];
    expect(err).toMatchObject({ type: 'GleanerError', code: 'connect_failed', message: 'No connection.' });
    expect(err.cause).toMatchObject({ type: 'Error', code: 'ECONNREFUSED', message: 'refused' });
    expect(err.cause).not.toHaveProperty('socket');

    const loop = new Error('loop');
    loop.cause = loop;
    telemetry.log.error({ err: loop, also: [new AggregateError([root, 'text'], 'many')] }, 'failed');
    expect(JSON.stringify(entries()[1]).match(/"message":"loop"/g)).toHaveLength(5);
    expect(entries()[1]!.also).toMatchObject([{ errors: [{ code: 'ECONNREFUSED' }, { message: 'text' }] }]);
  });

  it('is taken by Fastify, which names each request once', async () => {
    const { pino, lines, entries } = listeningTelemetry();
    const app = Fastify({
      loggerInstance: pino,
      genReqId: () => 'request-7',
      logController: new LogController({ requestIdLogLabel: 'request_id' }),
    });
    app.get('/x', async (request) => {
      request.log.info({ request_id: 'another' }, 'within');
      throw new Error(`refused ${KNOWN.redisUrl}`);
    });
    await app.inject({ url: `/x?token=${UNKNOWN.queryToken}`, headers: { authorization: `Bearer ${UNKNOWN.bearer}` } });
    await app.close();
    expect(entries().filter((entry) => entry.request_id === 'request-7').length).toBeGreaterThanOrEqual(4);
    for (const line of lines) expect(line.match(/"request_id"/g)).toHaveLength(1);
    expect(lines.join('')).not.toContain('CANARY');
    expect(entries().find((entry) => entry.req)!.req).toMatchObject({ method: 'GET', url: '/x?token=[redacted]' });
  });
});

describe('whatever is logged', () => {
  const circular: Record<string, unknown> = { name: 'circle' };
  circular.self = [circular];
  const hostile: Record<string, unknown> = {
    circular,
    bigint: { n: 2n ** 70n },
    getter: Object.defineProperty({}, 'boom', {
      enumerable: true,
      get: () => {
        throw new Error('getter');
      },
    }),
    toJson: {
      toJSON: () => {
        throw new Error('toJSON');
      },
    },
    proxy: {
      proxy: new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('trap');
          },
          getPrototypeOf: () => {
            throw new Error('trap');
          },
        },
      ),
    },
    dates: { bad: new Date(Number.NaN), good: new Date(0) },
    collections: {
      map: new Map<unknown, unknown>([
        ['a', 1],
        [2, 3],
      ]),
      set: new Set([1, 2]),
      bytes: Buffer.from('abc'),
      fn: () => 1,
    },
    proto: JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
    nullProto: Object.assign(Object.create(null), { a: 1 }),
    httpLike: { method: 'GET', headers: { a: 1 }, socket: { b: 2 }, url: '/' },
    numbers: { nan: Number.NaN, infinity: Number.POSITIVE_INFINITY },
    error: Object.defineProperty(new Error('x'), 'stack', {
      get: () => {
        throw new Error('stack');
      },
    }),
  };

  for (const [name, value] of Object.entries(hostile)) {
    it(`comes out as one valid entry: ${name}`, () => {
      const { telemetry, pino, entries } = listeningTelemetry();
      telemetry.log.info(value as object, 'hostile');
      pino.info({ deep: { value } }, 'hostile %s %j', value, value as object);
      pino.info(value as object);
      expect(entries()).toHaveLength(3);
      for (const entry of entries()) expect(entry.request_id).toBe(BOOT_ID);
    });
  }

  it('stays under the size limit and valid, however large, and keeps the words of the entry', () => {
    const { telemetry, pino, lines, entries } = listeningTelemetry();
    const control = '\u0001'.repeat(100_000);
    telemetry.log.info({ text: 'ü'.repeat(1_000_000) }, 'm'.repeat(1_000_000));
    telemetry.log.info({ list: Array.from({ length: 100_000 }, () => control), control }, control);
    telemetry.log.info(Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key${n}`, control])), 'wide');
    pino.child({ bound: control, request_id: 'r' }).info({ err: new Error(control) }, 'bound');
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    telemetry.log.info(deep, 'deep');
    telemetry.visitSettled(visitOf({ end: 'failed', reason: control, task: taskOf({ targetUrl: control }) }));
    expect(entries()).toHaveLength(6);
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LINE_BYTES);
    for (const entry of entries()) {
      expect(Object.keys(entry)).toEqual(expect.arrayContaining(['request_id', 'level', 'timestamp', 'message']));
    }
    expect(Object.keys(entries()[5]!)).toEqual(expect.arrayContaining(['target_url', 'proxy_used', 'error_reason']));
  });

  it('does not disturb the work when the destination throws', () => {
    const { telemetry } = listeningTelemetry({
      destination: {
        write: () => {
          throw new Error('ENOSPC');
        },
      },
    });
    expect(() => telemetry.visitSettled(visitOf())).not.toThrow();
  });
});

describe('what a visit leaves in the log', () => {
  it('is one line for a failed task, with the URL, the proxy and the reason', () => {
    const { telemetry, entries } = listeningTelemetry();
    const task = taskOf({
      jobId: 'job-1',
      attempts: 3,
      targetUrl: 'https://bob:pw@example.com/?page=2&access_token=abc',
      traceparent: TRACEPARENT,
    });
    const reason = 'The connection was refused.';
    telemetry.visitSettled(visitOf({ task, end: 'failed', code: 'connect_failed', reason, proxyUsed: 'proxy-2' }));
    expect(entries()).toHaveLength(1);
    expect(entries()[0]).toMatchObject({
      level: 'error',
      request_id: 'request-1',
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      task_id: 'task-1',
      job_id: 'job-1',
      target_url: 'https://[redacted]@example.com/?page=2&access_token=[redacted]',
      proxy_used: 'proxy-2',
      error_reason: reason,
      code: 'connect_failed',
      attempts: 3,
    });
  });

  it('is such a line, too, where the service died on a task and no visit could tell', () => {
    const { telemetry, entries } = listeningTelemetry();
    const targetUrl = 'https://bob:pw@example.com/';
    telemetry.taskConvicted(taskOf({ status: 'failed', code: 'poison', error: 'It died.', attempts: 3, targetUrl }));
    expect(entries()).toMatchObject([
      {
        level: 'error',
        request_id: 'request-1',
        task_id: 'task-1',
        target_url: 'https://[redacted]@example.com/',
        error_reason: 'It died.',
        code: 'poison',
        attempts: 3,
      },
    ]);
  });

  it('is one line for a completed task, with names of fields and no values', () => {
    const { telemetry, entries } = listeningTelemetry();
    const task = taskOf({ result: { title: 'Ada Lovelace' }, traceparent: 'nonsense' });
    telemetry.visitSettled(visitOf({ task, durationMs: 321, fieldsExtracted: ['title', 'location'] }));
    expect(entries()).toEqual([
      {
        level: 'info',
        timestamp: expect.any(String),
        message: 'task completed',
        request_id: 'request-1',
        task_id: 'task-1',
        target_type: 'job_posting',
        target_domain: 'example.com',
        duration_ms: 321,
        fields_extracted: ['title', 'location'],
        rendered_by: 'http',
        proxy_used: 'direct',
        attempts: 1,
      },
    ]);
  });

  it('is a warning with code and attempt when the task goes back to the queue', () => {
    const { telemetry, entries } = listeningTelemetry();
    telemetry.visitSettled(visitOf({ end: 'retried', code: 'target_timeout', task: taskOf({ attempts: 2 }) }));
    expect(entries()[0]).toMatchObject({ level: 'warn', code: 'target_timeout', attempt: 2 });
  });

  it.each([
    ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', undefined],
    ['00-00000000000000000000000000000000-b7ad6b7169203331-01', undefined],
    ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', undefined],
    [`${TRACEPARENT}-more`, undefined],
    [`01${TRACEPARENT.slice(2)}-more`, '0af7651916cd43dd8448eb211c80319c'],
  ])('has the trace id of a well-formed traceparent only: %s', (traceparent, traceId) => {
    const { telemetry, entries } = listeningTelemetry();
    telemetry.visitSettled(visitOf({ task: taskOf({ traceparent }) }));
    expect(entries()[0]!.trace_id).toBe(traceId);
  });

  it('does not quote the page when an adapter failed on it', () => {
    const { telemetry, entries, lines } = listeningTelemetry();
    let cause: unknown;
    try {
      JSON.parse('Ada Lovelace, ada@example.org');
    } catch (error) {
      cause = error;
    }
    telemetry.visitSettled(visitOf({ end: 'failed', code: 'extraction_failed', reason: 'The adapter failed.', cause }));
    expect(lines[0]).not.toContain('Ada');
    expect(entries()[0]!.cause).toMatchObject({ type: 'SyntaxError', stack: expect.stringContaining('    at ') });
    telemetry.visitSettled(visitOf({ end: 'failed', code: 'browser_crashed', cause: new Error('Target closed') }));
    expect(entries()[1]!.err).toMatchObject({ message: 'Target closed' });
  });

  it('keeps bodies and results out even when somebody logs the whole task', () => {
    const { telemetry, lines } = listeningTelemetry();
    const task = taskOf({ result: { name: 'Ada Lovelace' } });
    telemetry.log.debug({ task, page: { html: '<p>Ada Lovelace</p>' }, body: 'Ada Lovelace' }, 'debugging');
    expect(lines[0]).not.toContain('Ada');
    expect(lines[0]).toContain('"result":"[omitted]"');
  });
});

describe('canaries in the log', () => {
  const hidden = [...KNOWN_CORES, ...Object.values(UNKNOWN)];
  const withCanaries = () => {
    const parts = listeningTelemetry();
    for (const value of Object.values(KNOWN)) parts.scrubber.add(value);
    return parts;
  };
  const expectNone = (text: string) => {
    for (const core of hidden) {
      for (const [name, spell] of Object.entries(SPELLINGS)) {
        expect(text.toLowerCase(), `${core}, ${name}`).not.toContain(spell(core).toLowerCase());
      }
    }
  };

  const places: Record<string, (value: string) => object> = {
    'request headers': (value) => ({ headers: { accept: '*/*', 'x-trace': value } }),
    'header names in any case': (value) => ({ headers: { 'X-SERVICE-KEY': value, cOOkie: value } }),
    'a body': (value) => ({ body: { note: value }, text: `{"note":${JSON.stringify(value)}}` }),
    'three levels deep': (value) => ({ a: { b: { c: { note: value } } } }),
    'an array': (value) => ({ list: ['x', [value]] }),
    'an object key': (value) => ({ map: { [value]: 1 }, [value]: { [`prefix${value}`]: [] } }),
    'an error message': (value) => ({ err: new Error(`failed with ${value}`) }),
    'a cause': (value) => ({ err: new Error('x', { cause: new Error('y', { cause: value }) }) }),
    'a stack': (value) => ({ err: Object.assign(new Error('x'), { stack: `Error: x\n    at ${value} (a.js:1:2)` }) }),
    'a browser error': (value) => ({
      err: new Error(`page.goto: net::ERR_PROXY at http://h/\nCall log:\n  - proxy http://u:${value}@p:1, "${value}"`),
    }),
    'a fetch error': (value) => ({ err: new TypeError('fetch failed', { cause: { code: 'X', message: value } }) }),
    'a validation message': (value) => ({ message: `body/target_url must match "${value}", received '${value}'` }),
    'a Secret': (value) => ({ given: new Secret(value), list: [new Secret(value)] }),
    'a trace attribute': (value) => ({ attributes: new Map([['http.url', `https://h/${value}`]]) }),
  };

  for (const [place, put] of Object.entries(places)) {
    it(`does not show a known secret in ${place}, in any spelling`, () => {
      const { telemetry, pino, lines } = withCanaries();
      for (const value of Object.values(KNOWN)) {
        for (const spell of Object.values(SPELLINGS)) {
          telemetry.log.error(put(spell(value)), `said ${spell(value)}`);
          pino.fatal(put(spell(value)), 'uncaught %s', spell(value));
        }
      }
      expect(lines).toHaveLength(2 * Object.keys(KNOWN).length * Object.keys(SPELLINGS).length);
      for (const line of lines) JSON.parse(line);
      expectNone(lines.join(''));
    });
  }

  it('does not show what looks like a secret, though nobody told it', () => {
    const { telemetry, pino, lines } = listeningTelemetry();
    const { cookie, bearer, userinfo, queryToken } = UNKNOWN;
    const urls = `http://bob:${userinfo}@example.com/ https://example.com/?access_token=${queryToken}&a=1`;
    telemetry.log.info({ headers: { Cookie: cookie, AUTHORIZATION: [`Bearer ${bearer}`] } }, urls);
    telemetry.log.info(
      { raw: ['Host', 'x', 'Authorization', bearer, 'Set-Cookie', cookie] },
      `Cookie: a=1; b=${cookie}`,
    );
    telemetry.log.info({ urls, [urls]: 1, deep: [{ note: `authorization: Bearer ${bearer}` }] }, `Bearer ${bearer}`);
    pino.error(new Error(`${urls} {"cookie":"${cookie}","token":"${bearer}"}`, { cause: new Error(urls) }));
    telemetry.visitSettled(
      visitOf({ end: 'failed', reason: `GET ${urls}`, task: taskOf({ targetUrl: urls.split(' ')[1]! }) }),
    );
    expectNone(lines.join(''));
  });

  it('does not show what a child logger is bound to under the name of a secret', () => {
    const { pino, entries } = listeningTelemetry();
    pino.child({ password: 'abc', deep: { apiKey: ['abc'], plain: 'x' } }).info('bound');
    expect(entries()[0]).toMatchObject({ password: '[redacted]', deep: { apiKey: '[redacted]', plain: 'x' } });
  });

  it('keeps an entry readable when a secret spells one of its own words', () => {
    const { telemetry, scrubber, entries } = listeningTelemetry();
    for (const word of ['request_id', 'timestamp', 'message', 'target_url', '"level"', 'proxy_used":"'])
      scrubber.add(word);
    telemetry.visitSettled(visitOf({ end: 'failed', reason: 'the message was timestamp' }));
    expect(entries()[0]).toMatchObject({
      request_id: 'request-1',
      target_url: 'https://example.com/jobs/1',
      proxy_used: 'direct',
      error_reason: 'the [redacted] was [redacted]',
    });
  });

  it('redacts a secret of digits that was logged as a number', () => {
    const { telemetry, scrubber, entries } = listeningTelemetry();
    scrubber.add('9876543210');
    telemetry.log.info({ pin: 9876543210, other: 12 }, 'numbers');
    expect(entries()[0]).toMatchObject({ pin: '[redacted]', other: 12 });
  });
});

describe('standard output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-log-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has the last line even when the process dies right after it', () => {
    const script = join(folder, 'dies.mts');
    const telemetry = pathToFileURL(join(import.meta.dirname, '../../src/telemetry.ts')).href;
    writeFileSync(
      script,
      `import { createTelemetry } from ${JSON.stringify(telemetry)};
      const { telemetry } = createTelemetry({ level: 'info', bootId: 'boot' });
      for (let n = 0; n < 200; n++) telemetry.log.info({ n }, 'line');
      process.kill(process.pid, 'SIGKILL');`,
    );
    const run = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), script], { encoding: 'utf8' });
    expect(run.signal).toBe('SIGKILL');
    const lines = run.stdout.trim().split('\n');
    expect(lines).toHaveLength(200);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ n: 199, request_id: 'boot' });
  });
});
