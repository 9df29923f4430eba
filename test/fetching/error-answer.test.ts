import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GleanerError } from '../../src/domain/errors.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { type PageServer, startPageServer } from '../support/page-server.js';
import { type Browsers, request, startBrowsers } from './browser-kit.js';

const WALL = '<title>Just a moment...</title><p>Checking your browser</p>';
const LONG = `<p>${'x'.repeat(400_000)}</p>`;

let site: PageServer;
let slow: Server;
let browsers: Browsers;
let http: ReturnType<typeof openHttpFetcher>;
const fetchers: Record<string, () => Fetcher> = { http: () => http, browser: () => browsers.fetcher };

beforeAll(async () => {
  site = await startPageServer({
    '/wall/403': (_url, response) => void response.writeHead(403, { 'cf-mitigated': 'challenge' }).end(WALL),
    '/wall/503': (_url, response) => void response.writeHead(503, { 'retry-after': '7' }).end(WALL),
    '/gone': (_url, response) => void response.writeHead(410).end(WALL),
    '/long': (_url, response) => void response.writeHead(403).end(LONG),
  });
  slow = createServer(({ url }, response) => {
    if (url === '/inside') return void response.setHeader('content-type', 'text/html').end('<h1>Inside</h1>');
    // The rest never comes.
    response.writeHead(403, { 'content-type': 'text/html' });
    response.write(url === '/passed' ? '<script>location.href = "/inside"</script>' : WALL);
    return undefined;
  });
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  http = openHttpFetcher({ maxBodyBytes: 1024 * 1024, bodyTimeoutMs: 30_000 });
  browsers = await startBrowsers();
});
afterAll(async () => {
  await browsers.close();
  await http.close();
  await site.close();
  await new Promise((done) => slow.close(done).closeAllConnections());
});

const slowUrl = (path: string): string => `http://127.0.0.1:${(slow.address() as AddressInfo).port}${path}`;

describe.each(Object.keys(fetchers))('an error status, brought by %s,', (name) => {
  const faultAt = async (path: string, url = site.url(path)): Promise<GleanerError> => {
    const visit = fetchers[name]!().fetch(request(url), AbortSignal.timeout(15_000));
    return visit.then(
      () => Promise.reject(new Error(`${path} must fail`)),
      (error: GleanerError) => error,
    );
  };

  it('behind which a wall may stand comes with its page', async () => {
    const refused = await faultAt('/wall/403');
    expect(refused).toMatchObject({ code: 'target_client_error', httpStatus: 403 });
    expect(refused.answer).toMatchObject({ httpStatus: 403, headers: { 'cf-mitigated': 'challenge' } });
    expect(refused.answer?.html).toContain('Checking your browser');
    const busy = await faultAt('/wall/503');
    expect(busy).toMatchObject({ code: 'target_server_error', httpStatus: 503, retryAfterMs: 7_000 });
    expect(busy.answer?.html).toContain('Just a moment');
  });

  it('of another kind comes alone', async () => {
    expect((await faultAt('/gone')).answer).toBeUndefined();
  });

  it('brings no more than the beginning of a long page', async () => {
    const { answer } = await faultAt('/long');
    expect(answer?.html.length).toBeGreaterThan(100_000);
    expect(answer?.html.length).toBeLessThanOrEqual(128 * 1024);
  });

  it('does not wait for a page that never ends: what has come by then must do', async () => {
    const fault = await faultAt('/drip', slowUrl('/drip'));
    expect(fault).toMatchObject({ code: 'target_client_error', httpStatus: 403 });
    if (name === 'http') expect(fault.answer?.html).toContain('Checking your browser');
  });

  it('is never printed with what the page says', async () => {
    const fault = await faultAt('/wall/403');
    expect(inspect(fault, { showHidden: true, depth: 5 }) + JSON.stringify(fault)).not.toContain('Checking');
  });
});

it('a browser goes on where the page behind the status leads to another one by itself', async () => {
  const page = await browsers.get(slowUrl('/passed'), { waitFor: { selectors: ['h1'], timeoutMs: 3_000 } });
  expect(page).toMatchObject({ finalUrl: slowUrl('/inside'), httpStatus: 200 });
  expect(page.html).toContain('<h1>Inside</h1>');
});
