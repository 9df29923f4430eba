import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../../src/domain/page.js';
import { Secret } from '../../src/domain/secret.js';
import type { HttpFetcher } from '../../src/fetching/http-fetch.js';
import type { Detour, Fetcher, FetchRequest } from '../../src/ports/fetcher.js';
import { openHttpFetcher } from '../support/http-fetcher.js';
import { type Browsers, request, startBrowsers } from './browser-kit.js';

/** A register that shows a case only to who posts its form, and where that leads by its path. */
const REDIRECTS: Record<string, number> = {
  '/moved': 301,
  '/found': 302,
  '/see-other': 303,
  '/again': 307,
  '/still': 308,
};

let asked: string[];
let seenHeaders: IncomingMessage['headers'][];
const server = createServer(async (incoming, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const { pathname, searchParams, search } = new URL(incoming.url ?? '/', 'http://register');
  if (pathname === '/favicon.ico') return void response.writeHead(404).end();
  asked.push(`${incoming.method} ${pathname}${search} ${body}`);
  seenHeaders.push(incoming.headers);
  response.setHeader('content-type', 'text/html');
  const status = REDIRECTS[pathname];
  if (status) response.writeHead(status, { location: searchParams.get('to') ?? '/case' }).end();
  else if (pathname === '/search' && incoming.method !== 'POST') response.end('<form>Search</form>');
  else
    response.end(
      `<p id="case">${new URLSearchParams(body).get('case') ?? 'none'}</p><script>document.body.append(location.href)</script>`,
    );
});

let origin: string;
let browsers: Browsers;
let http: HttpFetcher;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browsers = await startBrowsers();
  http = openHttpFetcher();
});
beforeEach(() => {
  asked = [];
  seenHeaders = [];
});
afterAll(async () => {
  await Promise.all([browsers.close(), http.close()]);
  server.close();
  server.closeAllConnections();
});

describe.each(['http', 'browser'] as const)('a form that is posted by %s', (by) => {
  const send = (path: string, changes: Partial<FetchRequest> = {}): Promise<Page | Detour> => {
    const fetcher: Fetcher = by === 'http' ? http : browsers.fetcher;
    return fetcher.fetch({ ...request(origin + path), form: ['case'], ...changes }, AbortSignal.timeout(10_000));
  };

  it('goes into the body, and only its own fields', async () => {
    const page = await send('/search?lang=en&case=IMM%2D7%2D25');
    expect(asked).toEqual(['POST /search?lang=en case=IMM%2D7%2D25']);
    expect(page).toMatchObject({
      url: `${origin}/search?lang=en&case=IMM%2D7%2D25`,
      finalUrl: `${origin}/search?lang=en`,
      html: expect.stringContaining('<p id="case">IMM-7-25</p>'),
    });
    if (by === 'browser') expect((page as Page).html).toContain(`${origin}/search?lang=en</body>`);
  });

  it.each(['/moved', '/found', '/see-other'])(
    'is answered by a page that %s leads to, without the form',
    async (path) => {
      expect(await send(`${path}?case=IMM-7-25`)).toMatchObject({
        finalUrl: `${origin}/case`,
        redirects: [origin + path],
      });
      expect(asked).toEqual([`POST ${path} case=IMM-7-25`, 'GET /case ']);
      expect(seenHeaders[1]).not.toHaveProperty('content-type');
    },
  );

  it.each(['/again', '/still'])('goes on with %s as it is', async (path) => {
    expect(await send(`${path}?to=/search&case=IMM-7-25`)).toMatchObject({ finalUrl: `${origin}/search` });
    expect(asked).toEqual([`POST ${path}?to=/search case=IMM-7-25`, 'POST /search case=IMM-7-25']);
  });

  it('does not leave its site', async () => {
    const elsewhere = send('/again?to=/search&case=IMM-7-25', { mayFollow: () => 'leave' });
    await expect(elsewhere).rejects.toMatchObject({
      code: 'egress_denied',
      message: expect.stringContaining('sends a posted form on to'),
    });
    expect(asked).toEqual(['POST /again?to=/search case=IMM-7-25']);
  });

  it('is left for the page it leads to, where that is elsewhere', async () => {
    const left = await send('/see-other?case=IMM-7-25', { mayFollow: () => 'leave' });
    expect(left).toEqual({ kind: 'detour', to: `${origin}/case`, hops: 1 });
  });

  it('takes the credential along, and says whose form it is', async () => {
    const credential = { provider: 'reader', headers: { 'x-reader': new Secret('CANARY-form-reader') }, cookies: [] };
    await send('/search?case=IMM-7-25', { credential });
    expect(seenHeaders).toMatchObject([{ origin, 'x-reader': 'CANARY-form-reader' }]);
    expect(asked).toEqual(['POST /search case=IMM-7-25']);
  });
});
