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
let browsers: Browsers;
let http: ReturnType<typeof openHttpFetcher>;
const fetchers: Record<string, () => Fetcher> = { http: () => http, browser: () => browsers.fetcher };

beforeAll(async () => {
  site = await startPageServer({
    '/wall/403': (_url, response) => void response.writeHead(403, { 'cf-mitigated': 'challenge' }).end(WALL),
    '/wall/503': (_url, response) => void response.writeHead(503, { 'retry-after': '7' }).end(WALL),
    '/gone': (_url, response) => void response.writeHead(410).end(WALL),
    '/long': (_url, response) => void response.writeHead(403).end(LONG),
    '/half': (_url, response) => void response.writeHead(403, { 'content-length': '500' }).write(WALL),
  });
  http = openHttpFetcher({ maxBodyBytes: 1024 * 1024, bodyTimeoutMs: 500 });
  browsers = await startBrowsers();
});
afterAll(async () => {
  await browsers.close();
  await http.close();
  await site.close();
});

describe.each(Object.keys(fetchers))('an error status, brought by %s,', (name) => {
  const faultAt = async (path: string): Promise<GleanerError> => {
    const visit = fetchers[name]!().fetch(request(site.url(path)), AbortSignal.timeout(15_000));
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

  it('does not hang on a page that never ends', async () => {
    expect(await faultAt('/half')).toMatchObject({ code: 'target_client_error', httpStatus: 403 });
  });

  it('is never printed with what the page says', async () => {
    const fault = await faultAt('/wall/403');
    expect(inspect(fault, { showHidden: true, depth: 5 }) + JSON.stringify(fault)).not.toContain('Checking');
  });
});
