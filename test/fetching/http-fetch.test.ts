import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/fetching/egress.js';
import type { HttpFetcher, HttpFetcherOptions } from '../../src/fetching/http-fetch.js';
import type { FetchRequest, Identity } from '../../src/ports/fetcher.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { pageOf } from '../support/page-of.js';
import { type Site, startSite } from '../support/site.js';
import { EXPIRED_CERT, TLS_CERT, TLS_KEY } from '../support/tls.js';

const identity: Identity = {
  userAgent: 'Mozilla/5.0 Test',
  viewport: { width: 1280, height: 720 },
  screen: { width: 1280, height: 800 },
  timezone: 'America/New_York',
  locale: 'en-US',
  languages: ['en-US', 'en'],
  geolocation: null,
  headers: { 'sec-ch-ua': '"Test";v="1"', 'accept-language': 'en-US,en;q=0.9' },
};

const MAX_BODY_BYTES = 1024 * 1024;

let site: Site;
let fetcher: HttpFetcher;
const closing: (() => Promise<unknown>)[] = [];

function createFetcher(options: Partial<HttpFetcherOptions> = {}): HttpFetcher {
  const made = openHttpFetcher({ maxBodyBytes: MAX_BODY_BYTES, ...options });
  closing.push(() => made.close());
  return made;
}

const request = (url: string): FetchRequest => ({
  url,
  identity,
  proxy: null,
  waitFor: { selectors: [], timeoutMs: 0 },
});

const get = (path: string, by = fetcher) => bring(by, site.url(path));

const bring = async (by: HttpFetcher, url: string) => pageOf(await by.fetch(request(url), AbortSignal.timeout(10_000)));

beforeAll(async () => {
  site = await startSite();
  fetcher = createFetcher();
});

afterEach(() => {
  site.requests.length = 0;
});

afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await site.close();
});

describe('a plain page', () => {
  it('comes back decoded, with where it came from', async () => {
    const page = await get('/job/4');
    expect(page).toMatchObject({
      url: site.url('/job/4'),
      finalUrl: site.url('/job/4'),
      httpStatus: 200,
      contentType: 'text/html; charset=utf-8',
      renderedBy: 'http',
      redirects: [],
    });
    expect(page.html).toContain('Gardener Grade 4');
    expect(page.bytes).toBe(Buffer.byteLength(page.html));
    expect(page.headers).toEqual({ 'content-type': 'text/html; charset=utf-8' });
  });

  it('is asked for under the identity, with the client hints that Chromium gives to its own machine', async () => {
    const seen = JSON.parse((await get('/echo')).html) as Record<string, string>;
    expect(seen['user-agent']).toBe(identity.userAgent);
    expect(seen['accept-language']).toBe('en-US,en;q=0.9');
    expect(seen['accept-encoding']).toContain('gzip, deflate, br');
    expect(seen['sec-ch-ua']).toBe(identity.headers['sec-ch-ua']);
  });

  it.each(['gzip', 'deflate', 'raw', 'br'])(
    'is read in the encoding %s, and refused when its end is missing',
    async (encoding) => {
      expect((await get(`/encoded/${encoding}`)).html).toContain('Gardener Grade 3');
      await expect(get(`/encoded/${encoding}?cut=1`)).rejects.toMatchObject({ code: 'body_truncated' });
    },
  );

  it.each(['header', 'meta', 'none'])('is read in ISO-8859-1 declared by: %s', async (declare) => {
    expect((await get(`/latin1?declare=${declare}`)).html).toContain('Ingénieur à Orléans');
  });

  it('reuses connections', async () => {
    const own = createFetcher();
    const before = site.connections();
    for (let n = 0; n < 10; n += 1) await get(`/job/${n}`, own);
    expect(site.connections() - before).toBeLessThanOrEqual(2);
  });

  it('may be empty', async () => {
    expect(await get('/empty')).toMatchObject({ html: '', bytes: 0 });
    expect(await get('/status/204')).toMatchObject({ httpStatus: 204, html: '' });
  });
});

describe('redirects', () => {
  it('are followed one by one up to the limit', async () => {
    const page = await get('/chain/20');
    expect(page.finalUrl).toBe(site.url('/chain/0'));
    expect(page.redirects).toHaveLength(20);
    expect(page.redirects[0]).toBe(site.url('/chain/20'));
  });

  it.each(['/chain/50', '/loop'])('end at the limit: %s', async (path) => {
    await expect(get(path)).rejects.toMatchObject({ code: 'too_many_redirects' });
    expect(site.requests).toHaveLength(21);
  });

  it.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://[::1]:9/',
    'http://localhost:9/',
    'file:///etc/passwd',
    'ftp://example.com/',
    'http://user:hush@127.0.0.1/',
    'http://[::1',
  ])('are not followed to %s', async (to) => {
    const refused = get(`/redirect?to=${encodeURIComponent(to)}`);
    await expect(refused).rejects.toMatchObject({ code: 'egress_denied' });
    await expect(refused).rejects.not.toThrow('hush');
    expect(site.requests).toHaveLength(1);
  });

  it('carry the cookies of the visit back to the host that set them, and to no other', async () => {
    expect((await get('/wall')).html).toContain('Gardener Grade 9');
    const elsewhere = site.url('/echo', '127.0.0.2');
    const hop = await get(`/redirect?to=${encodeURIComponent(elsewhere)}`);
    expect(JSON.parse(hop.html)).not.toHaveProperty('cookie');
    expect(JSON.parse((await get('/cookie')).html)).toEqual({ cookie: null });
  });
});

describe('what is no page', () => {
  it.each([
    ['/status/404', 'target_client_error', 404],
    ['/status/403', 'target_client_error', 403],
    ['/status/500', 'target_server_error', 500],
    ['/status/503', 'target_server_error', 503],
    ['/status/429', 'rate_limited', 429],
  ])('%s is %s', async (path, code, httpStatus) => {
    await expect(get(path)).rejects.toMatchObject({ code, httpStatus, retryAfterMs: undefined });
  });

  it.each([429, 503])('keeps the Retry-After of a %s', async (status) => {
    await expect(get(`/status/${status}?retry_after=7`)).rejects.toMatchObject({
      httpStatus: status,
      retryAfterMs: 7000,
    });
  });

  it.each(['/download', '/pdf'])('%s is not read', async (path) => {
    await expect(get(path)).rejects.toMatchObject({ code: 'unsupported_content' });
  });

  it('says what happened without the query of the URL', async () => {
    await expect(get('/status/500?token=hush')).rejects.toThrow(`127.0.0.1:${site.port} answered 500.`);
  });
});

describe('limits', () => {
  it('cut a body that is too large while it is read', async () => {
    const before = process.memoryUsage().rss;
    await expect(get('/huge?mb=200')).rejects.toMatchObject({ code: 'body_too_large' });
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it('count what a body unpacks to', async () => {
    await expect(get('/bomb?mb=512')).rejects.toMatchObject({ code: 'body_too_large' });
  });

  it('take a body of exactly the limit', async () => {
    const own = createFetcher({ maxBodyBytes: 65536 * 16 });
    expect((await get('/huge?mb=1', own)).bytes).toBe(65536 * 16);
  });
});

describe('broken answers', () => {
  it.each(['/reset', '/short', '/badchunk'])('%s is never a silent partial page', async (path) => {
    await expect(get(path)).rejects.toMatchObject({ code: 'body_truncated' });
  });

  it('time out where no answer comes', async () => {
    const own = createFetcher({ headersTimeoutMs: 300 });
    await expect(get('/hang', own)).rejects.toMatchObject({ code: 'target_timeout' });
  });

  it('time out where the body stops coming', async () => {
    const own = createFetcher({ bodyTimeoutMs: 300 });
    await expect(get('/stall', own)).rejects.toMatchObject({ code: 'target_timeout' });
  });

  it('time out where the connection is accepted but never made', async () => {
    const silent = createTcpServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const own = createFetcher({ connectTimeoutMs: 300 });
    const visit = own.fetch(request(`https://127.0.0.1:${port}/`), AbortSignal.timeout(10_000));
    await expect(visit).rejects.toMatchObject({ code: 'target_timeout' });
    silent.close();
  });

  it('are refused where nobody listens', async () => {
    const url = 'http://127.0.0.1:1/';
    await expect(fetcher.fetch(request(url), AbortSignal.timeout(5000))).rejects.toMatchObject({
      code: 'connect_failed',
    });
  });

  it('are connect_failed where the other side does not speak HTTP or hangs up', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(answers.shift() ?? ''));
    });
    const answers = ['SSH-2.0-OpenSSH_9.9\r\n\r\n', ''];
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (let n = 0; n < 2; n += 1) {
      await expect(fetcher.fetch(request(url), AbortSignal.timeout(5000))).rejects.toMatchObject({
        code: 'connect_failed',
      });
    }
    server.close();
  });

  it('do not blame a site for a kept-alive connection that it closed just then', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      let answered = 0;
      socket
        .on('error', () => {})
        .on('data', () => {
          answered += 1;
          // The second request on the first connection finds it closing.
          if (connections === 1 && answered === 2) socket.end();
          else socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nok');
        });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const own = createFetcher();
    expect((await bring(own, url)).html).toBe('ok');
    expect((await bring(own, url)).html).toBe('ok');
    expect(connections).toBe(2);
    await own.close();
    server.close();
  });
});

describe('an abort', () => {
  it.each(['/hang', '/drip'])('ends %s at once, with its reason', async (path) => {
    const own = createFetcher({ headersTimeoutMs: 20_000, bodyTimeoutMs: 20_000 });
    const controller = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 300);
    const began = performance.now();
    await expect(own.fetch(request(site.url(path)), controller.signal)).rejects.toBe(reason);
    // No time limit was sat out.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('ends a connection attempt that nobody answers', async () => {
    const egress = createEgress({ allow: [], lookup: () => new Promise(() => {}), timeoutMs: 20_000 });
    const own = createFetcher({ egress, connectTimeoutMs: 20_000 });
    const reason = new Error('enough');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 100);
    const began = performance.now();
    await expect(own.fetch(request('http://slow.example/'), controller.signal)).rejects.toBe(reason);
    expect(performance.now() - began).toBeLessThan(10_000);
    await expect(own.fetch(request('http://slow.example/'), AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('egress', () => {
  it('is checked where the connection is made, for names and for addresses', async () => {
    const strict = createFetcher({
      egress: createEgress({ allow: [], lookup: async () => [{ address: '127.0.0.1', family: 4 }] }),
    });
    for (const url of [
      site.url('/job/1'),
      `http://rebind.example:${site.port}/job/1`,
      'http://localhost/',
      'ftp://x.example/',
    ]) {
      await expect(strict.fetch(request(url), AbortSignal.timeout(5000))).rejects.toMatchObject({
        code: 'egress_denied',
      });
    }
    expect(site.requests).toEqual([]);
  });

  it('dials the address that was checked, not what the name says a moment later', async () => {
    let lookups = 0;
    const egress = createEgress({
      allow: ['127.0.0.2'],
      lookup: async () => {
        lookups += 1;
        return [{ address: lookups === 1 ? '127.0.0.2' : '10.0.0.1', family: 4 }];
      },
    });
    const page = await bring(createFetcher({ egress }), `http://rebind.example:${site.port}/job/2`);
    expect(page.html).toContain('Gardener Grade 2');
    expect(lookups).toBe(1);
  });

  it('reports names that do not exist', async () => {
    const egress = createEgress({
      allow: [],
      lookup: async () => {
        throw Object.assign(new Error('no'), { code: 'ENOTFOUND' });
      },
    });
    await expect(
      createFetcher({ egress }).fetch(request('http://nowhere.example/'), AbortSignal.timeout(5000)),
    ).rejects.toMatchObject({ code: 'dns_not_found' });
  });
});

describe('TLS', () => {
  it('is checked against the name although an address is dialled', async () => {
    const server = createHttpsServer({ cert: TLS_CERT, key: TLS_KEY }, (incoming, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(incoming.headers));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => server.close());
    const { port } = server.address() as AddressInfo;
    const egress = createEgress({
      allow: ['tls.example', 'wrong.example', '127.0.0.1'],
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const trusting = createFetcher({ egress, ca: TLS_CERT });
    const page = await bring(trusting, `https://tls.example:${port}/`);
    expect(JSON.parse(page.html)).toMatchObject({ host: `tls.example:${port}`, 'sec-ch-ua': '"Test";v="1"' });

    for (const host of ['wrong.example', '127.0.0.1']) {
      await expect(
        trusting.fetch(request(`https://${host}:${port}/`), AbortSignal.timeout(5000)),
      ).rejects.toMatchObject({ code: 'tls_failed' });
    }
    await expect(
      createFetcher({ egress }).fetch(request(`https://tls.example:${port}/`), AbortSignal.timeout(5000)),
    ).rejects.toMatchObject({ code: 'tls_failed' });
  });

  it('is refused where the certificate has run out, though it is trusted, and nothing is asked without TLS instead', async () => {
    const asked: string[] = [];
    const server = createHttpsServer({ cert: EXPIRED_CERT, key: TLS_KEY }, (incoming, response) => {
      asked.push(incoming.url ?? '');
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(async () => server.close());
    const { port } = server.address() as AddressInfo;
    const egress = createEgress({
      allow: ['tls.example'],
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    await expect(
      createFetcher({ egress, ca: EXPIRED_CERT }).fetch(
        request(`https://tls.example:${port}/`),
        AbortSignal.timeout(5000),
      ),
    ).rejects.toMatchObject({ code: 'tls_failed', cause: { code: 'CERT_HAS_EXPIRED' } });
    expect(asked).toEqual([]);
  });

  it('is not expected of a site that speaks plain HTTP', async () => {
    await expect(
      fetcher.fetch(request(`https://127.0.0.1:${site.port}/`), AbortSignal.timeout(5000)),
    ).rejects.toMatchObject({ code: 'tls_failed' });
  });
});
