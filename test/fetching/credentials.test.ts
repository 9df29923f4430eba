import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { Secret } from '../../src/domain/secret.js';
import { type CredentialClient, type CredentialsOptions, createCredentials } from '../../src/fetching/credentials.js';
import { answering, type CredentialBackend, startCredentialBackend } from '../support/credential-backend.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { listeningTelemetry } from '../telemetry/harness.js';

const KEY = 'CANARY-backend-key-1';

let backend: CredentialBackend;
let clock: VirtualClock;
let watch: ReturnType<typeof listeningTelemetry>;
const clients: CredentialClient[] = [];

beforeAll(async () => {
  backend = await startCredentialBackend();
});
afterAll(() => backend.close());
beforeEach(() => {
  backend.requests = [];
  clock = new VirtualClock();
  watch = listeningTelemetry();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

function client(options: Partial<CredentialsOptions> = {}): CredentialClient {
  const made = createCredentials({
    baseUrl: backend.baseUrl,
    serviceKey: new Secret(KEY),
    cacheTtlMs: 300_000,
    maxRetries: 3,
    inUseMs: 60_000,
    clock,
    log: watch.telemetry.log,
    ...options,
  });
  clients.push(made);
  return made;
}

const get = (from: CredentialClient, workspace = 'ws', provider = 'linkedin') =>
  from.get(workspace, provider, new AbortController().signal);

const errorOf = async (work: Promise<unknown>): Promise<GleanerError> => {
  const outcome = await work.catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(GleanerError);
  return outcome as GleanerError;
};

const requestsSeen = (count: number) => expect.poll(() => backend.requests.length, { interval: 2 }).toBe(count);

/** A pause passes as soon as it begins, so that only its length is left to look at. */
class HastyClock extends VirtualClock {
  override wait(ms: number): Promise<void> {
    return this.advance(ms);
  }
}

describe('the credential API', () => {
  it('is asked by workspace and provider, with the service key and nothing else of ours', async () => {
    backend.reply = answering(200, { headers: { Authorization: 'Bearer abc' } });
    await get(client(), 'a/b ü?', 'x&y');
    expect(backend.requests.map(({ path }) => path)).toEqual([
      '/api/v1/workspaces/a%2Fb%20%C3%BC%3F/credentials/x%26y',
    ]);
    expect(Object.keys(backend.requests[0]!.headers).sort()).toEqual(['accept', 'connection', 'host', 'x-service-key']);
    expect(backend.requests[0]!.headers['x-service-key']).toBe(KEY);
  });

  it.each(['', '.', '..', 'half \ud800'])(
    'is not asked for the workspace %j, which would name another path',
    async (name) => {
      expect((await errorOf(get(client(), name))).code).toBe('credentials_missing');
      expect((await errorOf(get(client(), 'ws', name))).code).toBe('credentials_missing');
      expect(backend.requests).toEqual([]);
    },
  );

  it.each(['http://api.example.com/api/v1', 'http://10.0.0.1/', 'ftp://127.0.0.1/', 'http://127.0.0.1.example.com/'])(
    'is not reached through %s, where others could listen in',
    (baseUrl) => {
      expect(() => client({ baseUrl })).toThrow(/https/);
    },
  );

  it('is not trusted without a certificate that is', async () => {
    const tls = await startCredentialBackend({ tls: true });
    tls.reply = answering(200, { cookies: { sid: 'CANARY-cookie-1' } });
    try {
      const error = await errorOf(get(client({ baseUrl: tls.baseUrl, maxRetries: 0 })));
      expect(error).toMatchObject({ code: 'credentials_unavailable' });
      expect(error.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(tls.requests).toEqual([]);
    } finally {
      await tls.close();
    }
  });

  it.each([
    [
      'an envelope',
      { success: true, data: { cookies: [{ name: 'sid', value: 'one' }], headers: { 'X-Token': 'two' } } },
    ],
    [
      'a bare object',
      { cookies: [{ name: 'sid', value: 'one', domain: null, path: null }], headers: { 'x-token': 'two' } },
    ],
    ['a record of cookies', { cookies: { sid: 'one' }, headers: { 'x-token': 'two' }, expires_at: 'any' }],
  ])('may answer with %s', async (_, body) => {
    backend.reply = answering(200, body);
    const { provider, cookies, headers } = await get(client());
    expect(provider).toBe('linkedin');
    expect(cookies).toEqual([{ name: 'sid', value: expect.any(Secret), domain: null, path: '/' }]);
    expect(cookies[0]!.value.reveal()).toBe('one');
    expect(Object.keys(headers)).toEqual(['x-token']);
    expect(headers['x-token']!.reveal()).toBe('two');
  });

  it('says where a cookie belongs', async () => {
    backend.reply = answering(200, {
      cookies: [
        { name: 'a', value: '', domain: '.LinkedIn.com', path: '/in', secure: true },
        { name: 'b', value: 'é "x", y', domain: 'www.linkedin.com' },
      ],
    });
    const { cookies } = await get(client());
    expect(cookies.map(({ domain, path }) => [domain, path])).toEqual([
      ['linkedin.com', '/in'],
      ['www.linkedin.com', '/'],
    ]);
    expect(cookies[1]!.value.reveal()).toBe('é "x", y');
  });

  it.each([
    ['nothing', {}],
    ['empty lists', { success: true, data: { cookies: [], headers: {} } }],
    ['an envelope of nothing', { success: true, data: null }],
    ['another kind of secret', { access_token: 'CANARY-1' }],
  ])('has none when it answers with %s', async (_, body) => {
    backend.reply = answering(200, body);
    expect((await errorOf(get(client()))).code).toBe('credentials_missing');
  });

  it.each<[string, unknown]>([
    ['no JSON', '{"cookies": "CANARY'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['no object', ['CANARY']],
    ['a failed envelope', { success: false, error: 'CANARY', data: { cookies: { sid: 'CANARY' } } }],
    ['an envelope without data', { success: true, data: 'CANARY' }],
    ['cookies in one string', { cookies: 'sid=CANARY' }],
    ['a cookie that is no object', { cookies: ['CANARY'] }],
    ['a cookie without a name', { cookies: [{ value: 'CANARY' }] }],
    ['a cookie with a bad name', { cookies: { 'CANARY=x': 'CANARY' } }],
    ['a number for a cookie', { cookies: { sid: 5 } }],
    ['a line break in a cookie', { cookies: { sid: 'CANARY\r\nx: y' } }],
    ['a second cookie in a cookie', { cookies: { sid: 'CANARY; admin=1' } }],
    ['NUL in a cookie', { cookies: { sid: 'CANARY\0' } }],
    ['more than latin-1 in a cookie', { cookies: { sid: 'CANARY€' } }],
    ['a bad domain', { cookies: [{ name: 'sid', value: 'CANARY', domain: 'a b' }] }],
    ['a bad path', { cookies: [{ name: 'sid', value: 'CANARY', path: '/;CANARY' }] }],
    ['headers in a list', { headers: ['CANARY'] }],
    ['a header with a bad name', { headers: { 'a b': 'CANARY' } }],
    ['a line break in a header', { headers: { a: 'CANARY\nb: c' } }],
    ['NUL in a header', { headers: { a: 'CANARY\0' } }],
    ['more than latin-1 in a header', { headers: { a: 'CANARY€' } }],
    ['the same header twice', { headers: { a: 'CANARY', A: 'CANARY' } }],
    ['too many cookies', { cookies: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`c${n}`, 'CANARY'])) }],
    ['too many headers', { headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`h${n}`, 'CANARY'])) }],
    ...[
      'Cookie',
      'host',
      'content-length',
      'Transfer-Encoding',
      'connection',
      'upgrade',
      'te',
      'proxy-authorization',
    ].map((name): [string, unknown] => [`the header ${name}`, { headers: { [name]: 'CANARY' } }]),
  ])('is not believed, and not quoted, when it answers with %s', async (_, body) => {
    backend.reply = answering(200, body);
    const error = await errorOf(get(client()));
    expect(error.code).toBe('credentials_unavailable');
    expect(backend.requests).toHaveLength(1);
    expect(inspect(error, { depth: 9, showHidden: true }) + watch.lines.join('')).not.toContain('CANARY');
  });

  it('is not listened to beyond 64 KiB, packed or not', async () => {
    const long = JSON.stringify({ cookies: { sid: 'x'.repeat(70_000) } });
    const replies = [
      answering(200, long),
      answering(200, long, { 'content-length': String(long.length) }),
      // Cut short, this one would read well.
      answering(200, `{"cookies":{"sid":"x"}}${' '.repeat(70_000)}`),
      answering(200, gzipSync(long), { 'content-encoding': 'gzip' }),
    ];
    for (const reply of replies) {
      backend.reply = reply;
      expect((await errorOf(get(client()))).code).toBe('credentials_unavailable');
    }
    expect(backend.requests).toHaveLength(4);
    backend.reply = answering(200, gzipSync('{"cookies":{"sid":"short"}}'), { 'content-encoding': 'gzip' });
    expect((await get(client())).cookies).toHaveLength(1);
  });
});

describe('a credential API in trouble', () => {
  it('is asked again after 1, 2 and 4 s', async () => {
    clock = new HastyClock();
    const at: number[] = [];
    backend.reply = (request, response) => {
      at.push(clock.mono());
      const reply = at.length < 4 ? answering(503, 'CANARY') : answering(200, { cookies: { sid: 'one' } });
      reply(request, response);
    };
    expect((await get(client())).cookies).toHaveLength(1);
    expect(at.map((ms, n) => ms - (at[n - 1] ?? 0))).toEqual([0, 1000, 2000, 4000]);
    expect(watch.lines).toEqual([]);
  });

  it('is given up after its retries, with one line in the log', async () => {
    clock = new HastyClock();
    backend.reply = (request) => request.socket.destroy();
    const error = await errorOf(get(client()));
    expect(error).toMatchObject({ code: 'credentials_unavailable', status: 503, retryable: true, retryAfterMs: 5000 });
    expect(backend.requests).toHaveLength(4);
    expect(watch.entries()).toMatchObject([
      {
        level: 'warn',
        provider: 'linkedin',
        tries: 4,
        message: 'the credential API could not be reached (UND_ERR_SOCKET)',
      },
    ]);
  });

  it('is asked no sooner than it wishes, but not left alone for long', async () => {
    clock = new HastyClock();
    const at: number[] = [];
    backend.reply = (request, response) => {
      at.push(clock.mono());
      answering(429, {}, { 'retry-after': at.length === 1 ? '7' : '9999' })(request, response);
    };
    await errorOf(get(client({ maxRetries: 2 })));
    expect(at.map((ms, n) => ms - (at[n - 1] ?? 0))).toEqual([0, 7000, 30_000]);
  });

  it.each([
    ['silent', () => {}],
    [
      'silent in the middle of its answer',
      (_: unknown, response: { write(text: string): void }) => response.write('{"co'),
    ],
  ] as const)('is not waited for longer than 10 s when it is %s', async (_, reply) => {
    backend.reply = reply as CredentialBackend['reply'];
    const asked = errorOf(get(client({ maxRetries: 0 })));
    await requestsSeen(1);
    await clock.advance(9_999);
    expect(watch.lines).toEqual([]);
    await clock.advance(1);
    expect(await asked).toMatchObject({ code: 'credentials_unavailable' });
    expect((await asked).message).toContain('did not answer in time');
  });

  it.each([
    [400, 'credentials_unavailable'],
    [401, 'credentials_unavailable'],
    [403, 'credentials_unavailable'],
    [404, 'credentials_missing'],
    [410, 'credentials_unavailable'],
    [204, 'credentials_unavailable'],
    [302, 'credentials_unavailable'],
    [307, 'credentials_unavailable'],
  ])('is not asked again, nor elsewhere, after a %i', async (status, code) => {
    backend.reply = answering(status, status === 204 ? '' : 'CANARY', { location: `${backend.baseUrl}/CANARY` });
    const error = await errorOf(get(client()));
    expect(error.code).toBe(code);
    expect(backend.requests).toHaveLength(1);
    expect(error.message + watch.lines.join('')).not.toContain('CANARY');
    expect(watch.lines.join('').includes('refused our service key')).toBe(status === 401 || status === 403);
  });
});

describe('the memory for credentials', () => {
  /** Each answer is a new one, so that an old one shows. */
  const counting = (): CredentialBackend['reply'] => {
    let answers = 0;
    return (request, response) => answering(200, { cookies: { sid: `value-${(answers += 1)}` } })(request, response);
  };
  const value = async (from: CredentialClient, workspace = 'ws', provider = 'p') =>
    (await get(from, workspace, provider)).cookies[0]!.value.reveal();

  it('Property 30: Credential cache TTL behavior', async () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('get' as const), key: fc.constantFrom('a/x', 'a/y', 'b/x') }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('pass' as const), part: fc.constantFrom(0.25, 0.5, 1, 3) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('almost' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: 86_400_000 }),
        fc.array(step, { maxLength: 15 }),
        async (ttlMs, steps) => {
          clock = new VirtualClock();
          backend.requests = [];
          backend.reply = counting();
          const credentials = client({ cacheTtlMs: ttlMs });
          const fetched = new Map<string, { at: number; value: string }>();
          let requests = 0;
          for (const each of steps) {
            if (each.kind === 'pass') await clock.advance(Math.round(ttlMs * each.part));
            if (each.kind === 'almost') await clock.advance(ttlMs - 1);
            if (each.kind !== 'get') continue;
            const known = fetched.get(each.key);
            const [workspace, provider] = each.key.split('/');
            const found = await value(credentials, workspace, provider);
            if (known && clock.mono() - known.at < ttlMs) expect(found).toBe(known.value);
            else {
              requests += 1;
              expect(found).toBe(`value-${requests}`);
              fetched.set(each.key, { at: clock.mono(), value: found });
            }
            expect(backend.requests).toHaveLength(requests);
          }
          await credentials.close();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('sends one request however many ask at once, and goes on when one of them leaves', async () => {
    let answer = (): void => {};
    backend.reply = (request, response) => {
      answer = () => answering(200, { cookies: { sid: 'one' } })(request, response);
    };
    const credentials = client();
    const leaving = new AbortController();
    const reason = new Error('gone');
    const first = credentials.get('ws', 'p', leaving.signal).catch((error: unknown) => error);
    const others = Array.from({ length: 50 }, () => value(credentials));
    await requestsSeen(1);
    leaving.abort(reason);
    expect(await first).toBe(reason);
    answer();
    expect(new Set(await Promise.all(others))).toEqual(new Set(['one']));
    expect(backend.requests).toHaveLength(1);
    await expect(credentials.get('ws', 'p', leaving.signal)).rejects.toBe(reason);
  });

  it('remembers for five seconds that there are none, and that nobody could say', async () => {
    for (const status of [404, 401]) {
      backend.requests = [];
      backend.reply = answering(status, {});
      const credentials = client();
      const { code } = await errorOf(get(credentials));
      await clock.advance(4_999);
      expect((await errorOf(get(credentials))).code).toBe(code);
      expect(backend.requests).toHaveLength(1);
      backend.reply = answering(200, { cookies: { sid: 'one' } });
      await clock.advance(1);
      expect((await get(credentials)).cookies).toHaveLength(1);
    }
  });

  it('keeps an answer for those who left before it came, however short the TTL', async () => {
    backend.reply = counting();
    const credentials = client({ cacheTtlMs: 0 });
    const leaving = new AbortController();
    const left = credentials.get('ws', 'p', leaving.signal).catch((error: Error) => error.name);
    leaving.abort();
    expect(await left).toBe('AbortError');
    await requestsSeen(1);
    await clock.advance(29_000);
    await expect.poll(() => value(credentials)).toBe('value-1');
    expect(await value(credentials)).toBe('value-2');
  });

  it('asks anew for what was found to be useless, once for all who found it', async () => {
    backend.reply = counting();
    const credentials = client();
    const old = await get(credentials, 'ws', 'p');
    credentials.invalidate('ws', 'p', old);
    expect(await value(credentials)).toBe('value-2');
    credentials.invalidate('ws', 'p', old);
    expect(await value(credentials)).toBe('value-2');
    credentials.invalidate('ws', 'p');
    expect(await value(credentials)).toBe('value-3');
    credentials.invalidate('ws', 'other');
    credentials.invalidate('other', 'p');
    expect(await value(credentials)).toBe('value-3');
  });

  it('does not keep an answer that was on its way when it was declared useless', async () => {
    const answers: (() => void)[] = [];
    backend.reply = (request, response) => {
      const sid = `value-${answers.length + 1}`;
      answers.push(() => answering(200, { cookies: { sid } })(request, response));
    };
    const credentials = client();
    const before = value(credentials);
    await requestsSeen(1);
    credentials.invalidate('ws', 'p');
    const after = value(credentials);
    await requestsSeen(2);
    answers[1]!();
    expect(await after).toBe('value-2');
    answers[0]!();
    expect(await before).toBe('value-1');
    expect(await value(credentials)).toBe('value-2');
  });

  it('tells which secrets are about, as long as a visit may be using them', async () => {
    const about: string[] = [];
    const onSecret = (secret: Secret) => {
      about.push(secret.reveal());
      return () => void about.splice(about.indexOf(secret.reveal()), 1);
    };
    backend.reply = answering(200, { cookies: { sid: 'cookie-1' }, headers: { authorization: 'Bearer token-1' } });
    const credentials = client({ onSecret, inUseMs: 60_000 });
    const old = await get(credentials);
    expect(about).toEqual(['cookie-1', 'Bearer token-1', 'token-1']);
    backend.reply = answering(200, { cookies: { sid: 'cookie-2' } });
    credentials.invalidate('ws', 'linkedin', old);
    await get(credentials);
    await clock.advance(59_999);
    expect(about).toContain('token-1');
    await clock.advance(1);
    expect(about).toEqual(['cookie-2']);
    // Nobody asks again: it expires by itself, and is forgotten when the last visit with it must be over.
    await clock.advance(300_000);
    expect(about).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not grow beyond its bound', async () => {
    let about = 0;
    const onSecret = () => {
      about += 1;
      return () => void (about -= 1);
    };
    const cookies = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`c${n}`, `value-${n}`]));
    backend.reply = answering(200, { cookies });
    const credentials = client({ onSecret, inUseMs: 1_000 });
    for (let n = 0; n < 520; n++) await get(credentials, `ws-${n}`);
    await clock.advance(1_000);
    expect(about).toBeLessThanOrEqual(50_000);
    expect(about).toBeGreaterThan(45_000);
    await get(credentials, 'ws-519');
    expect(backend.requests).toHaveLength(520);
    await get(credentials, 'ws-0');
    expect(backend.requests).toHaveLength(521);
  });

  it('leaves no connection and nobody waiting when it is closed', async () => {
    backend.reply = () => {};
    const credentials = client();
    const asked = errorOf(get(credentials));
    await requestsSeen(1);
    await credentials.close();
    expect((await asked).code).toBe('credentials_unavailable');
    await expect.poll(() => backend.openConnections()).toBe(0);
    expect((await errorOf(get(credentials, 'another'))).code).toBe('credentials_unavailable');
    expect(backend.requests).toHaveLength(1);
  });
});

describe('the values of a credential', () => {
  const SECRETS = ['CANARY-cookie-8812', 'CANARY-bearer-4410'];
  const good = { cookies: { sid: SECRETS[0] }, headers: { authorization: `Bearer ${SECRETS[1]}` } };

  it('cannot be printed, serialised or cloned by accident', async () => {
    backend.reply = answering(200, good);
    const credentials = client();
    const credential = await get(credentials);
    const prints = [
      JSON.stringify(credential),
      inspect(credential, { depth: 9, showHidden: true }),
      inspect(structuredClone(credential), { depth: 9, showHidden: true }),
      inspect({ ...credential, cookies: credential.cookies.map((each) => ({ ...each })) }, { depth: 9 }),
      inspect(credentials, { depth: 9, showHidden: true }),
      `${Object.values(credential.headers)} ${credential.cookies.map(({ value }) => value)}`,
    ];
    expect(prints.join('\n')).not.toContain('CANARY');
    expect(credential.headers.authorization!.reveal()).toBe(`Bearer ${SECRETS[1]}`);
  });

  it('are in no log line, also when somebody logs what they should not', async () => {
    const credentials = client({ onSecret: (secret) => watch.scrubber.add(secret) });
    backend.reply = answering(200, good);
    const credential = await get(credentials);
    credentials.invalidate('ws', 'linkedin', credential);
    for (const value of SECRETS) {
      watch.telemetry.log.error({ err: new Error(`sent sid=${value}`), deep: [{ value }] }, `it was ${value}`);
    }
    watch.telemetry.log.info({ credential, credentials }, 'a whole credential');
    expect(watch.lines).toHaveLength(3);
    expect(watch.lines.join('')).not.toContain('CANARY');
  });

  it('are in no error and no log line when the API quotes them, or our key, in its own errors', async () => {
    for (const status of [200, 302, 400, 401, 404, 429, 500, 503]) {
      backend.reply = answering(status, `{"echo": "${KEY}", ${JSON.stringify(good)}`, { 'x-echo': KEY, location: KEY });
      const error = await errorOf(get(client({ maxRetries: 0 })));
      expect(inspect(error, { depth: 9, showHidden: true }), String(status)).not.toContain('CANARY');
    }
    // The parser's error carries what it could not read.
    backend.reply = (request) => request.socket.end(`HTTP/1.1 200 OK\r\nbad header ${KEY}\r\n\r\n`);
    const error = await errorOf(get(client({ maxRetries: 0 })));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('CANARY');
    expect(watch.lines.length).toBeGreaterThan(5);
    expect(watch.lines.join('')).not.toContain('CANARY');
  });
});
