import { readdirSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import { GleanerError } from '../../src/domain/errors.js';
import { createBrowserFetcher } from '../../src/fetching/browser-fetch.js';
import { type Site, startSite } from '../support/site.js';
import { jobFacts } from '../support/site-pages.js';
import { TLS_CERT, TLS_KEY } from '../support/tls.js';
import { type Browsers, IDENTITY, request, startBrowsers, until } from './browser-kit.js';

let site: Site;
let browsers: Browsers;
let own: OwnSite;
const wantH1 = { waitFor: { selectors: ['#nothing', 'h1'], timeoutMs: 5000 } };

beforeAll(async () => {
  [site, own, browsers] = await Promise.all([
    startSite(),
    startOwnSite(),
    startBrowsers({ size: 2, max: 3, contextsPerBrowser: 3, navigationTimeoutMs: 5000, maxBodyBytes: 256 * 1024 }),
  ]);
});

afterAll(async () => {
  await browsers.close();
  await Promise.all([site.close(), own.close()]);
});

describe('a page', () => {
  it('is brought as its scripts have built it', async () => {
    const page = await browsers.get(site.url('/js/3'), wantH1);
    expect(page).toMatchObject({
      url: site.url('/js/3'),
      finalUrl: site.url('/js/3'),
      httpStatus: 200,
      renderedBy: 'browser',
      contentType: 'text/html; charset=utf-8',
      redirects: [],
    });
    expect(page.html).toContain(jobFacts(3).title);
    expect(page.html).toMatch(/^<!DOCTYPE html>/i);
    expect(page.bytes).toBe(Buffer.byteLength(page.html));
  });

  it('is brought as it is when what was waited for does not come', async () => {
    const page = await browsers.get(site.url('/job/2'), { waitFor: { selectors: ['#never', ':::'], timeoutMs: 200 } });
    expect(page.html).toContain(jobFacts(2).title);
  });

  it('names the redirects that led to it', async () => {
    const page = await browsers.get(site.url('/chain/2'));
    expect(page.finalUrl).toBe(site.url('/chain/0'));
    expect(page.redirects).toEqual([site.url('/chain/2'), site.url('/chain/1')]);
  });

  it('is the one its script leads to, with the status of that one', async () => {
    const page = await browsers.get(own.url('/moves-on'), wantH1);
    expect(page).toMatchObject({ finalUrl: own.url('/moved'), httpStatus: 203 });
    const fault = await browsers.fault(own.url('/moves-to-nowhere'), wantH1);
    expect(fault).toMatchObject({ code: 'target_client_error', httpStatus: 404 });
  });

  it('stays when its script calls for another program', async () => {
    const page = await browsers.get(own.url('/calls-an-app'), { waitFor: { selectors: ['#never'], timeoutMs: 300 } });
    expect(page).toMatchObject({ finalUrl: own.url('/calls-an-app'), httpStatus: 200 });
    expect(page.html).toContain('still here');
  });

  it('cannot lie about itself by redefining what we read with', async () => {
    const page = await browsers.get(own.url('/liar'));
    expect(page.html).toContain('the truth');
    expect(page.finalUrl).toBe(own.url('/liar'));
  });

  it('sees one coherent identity, in its headers and in its scripts', async () => {
    await browsers.get(own.url('/identity'), { waitFor: { selectors: ['#done'], timeoutMs: 5000 } });
    const headers = own.seen.find(({ url }) => url === '/identity')!.headers;
    expect(headers).toMatchObject({
      'user-agent': IDENTITY.userAgent,
      'accept-language': 'de-DE,de;q=0.9,en;q=0.8',
      'sec-ch-ua': IDENTITY.headers['sec-ch-ua'],
      'sec-ch-ua-platform': '"Windows"',
    });
    // Nothing tells the site that there is a proxy, or that caches are to be passed over.
    expect(Object.keys(headers).filter((name) => /proxy|pragma|cache|via|forward/.test(name))).toEqual([]);
    const told = JSON.parse(
      new URL(own.url(own.seen.find(({ url }) => url.startsWith('/told'))!.url)).searchParams.get('is')!,
    );
    expect(told).toEqual({
      agent: IDENTITY.userAgent,
      brands: ['Chromium', 'Google Chrome', 'Not:A-Brand'],
      platform: 'Win32',
      languages: ['de-DE', 'de', 'en'],
      zone: 'Europe/Berlin',
      width: 1400,
      geolocation: 'denied',
    });
    expect(own.seen.find(({ url }) => url.startsWith('/told'))!.headers['accept-language']).toBe(
      IDENTITY.headers['accept-language'],
    );
  });

  it('loads scripts and styles, but no images, fonts or media', async () => {
    await browsers.get(own.url('/rich'), { waitFor: { selectors: ['#loaded'], timeoutMs: 5000 } });
    const asked = own.seen.map(({ url }) => url).filter((url) => url.startsWith('/rich/'));
    expect(asked.sort()).toEqual(['/rich/data', '/rich/script.js', '/rich/style.css']);
  });

  it('knows no cookies of the visit before', async () => {
    const [first, second] = [await browsers.get(own.url('/cookie')), await browsers.get(own.url('/cookie'))];
    expect(first.html).toContain('cookie: none');
    expect(second.html).toContain('cookie: none');
  });

  it('is not held up by dialogs', async () => {
    const page = await browsers.get(site.url('/dialogs'), {
      waitFor: { selectors: ['[data-dialogs]'], timeoutMs: 5000 },
    });
    expect(page.html).toContain('data-dialogs="done"');
  });

  it('opens no popups', async () => {
    const page = await browsers.get(site.url('/popups'), wantH1);
    expect(page.html).toContain('job-title');
    expect(site.requests.filter(({ path }) => /^\/job\/\d\d+$/.test(path))).toEqual([]);
  });

  it('is granted no permission that it asks for', async () => {
    const page = await browsers.get(own.url('/permissions'), { waitFor: { selectors: ['#done'], timeoutMs: 2000 } });
    expect(page.html).toContain('id="done"');
    expect(page.html).not.toContain('granted');
  });

  it('saves nothing that its scripts offer for download', async () => {
    const page = await browsers.get(own.url('/offers'), { waitFor: { selectors: ['#done'], timeoutMs: 2000 } });
    expect(page.html).toContain('id="done"');
    expect(filesBelow(tmpdir(), 'offered.bin')).toEqual([]);
  });

  it('registers no service worker', async () => {
    await browsers.get(own.url('/worker'), { waitFor: { selectors: ['#done'], timeoutMs: 400 } });
    expect(own.seen.map(({ url }) => url)).not.toContain('/sw.js');
  });
});

describe('what is no page', () => {
  it.each([
    ['/status/404', { code: 'target_client_error', httpStatus: 404 }],
    ['/blocked?status=403', { code: 'target_client_error', httpStatus: 403 }],
    ['/status/401', { code: 'target_client_error', httpStatus: 401 }],
    ['/status/503?retry_after=3', { code: 'target_server_error', httpStatus: 503, retryAfterMs: 3000 }],
    ['/status/429?retry_after=7', { code: 'rate_limited', httpStatus: 429, retryAfterMs: 7000 }],
    ['/status/204', { code: 'empty_page' }],
    ['/download', { code: 'unsupported_content' }],
    ['/pdf', { code: 'unsupported_content' }],
    ['/loop', { code: 'too_many_redirects' }],
    ['/reset', { code: 'body_truncated' }],
    ['/short', { code: 'body_truncated' }],
    ['/badchunk', { code: 'body_truncated' }],
    ['/huge?mb=1', { code: 'body_too_large' }],
    ['/huge?mb=1000', { code: 'body_too_large' }],
    ['/bomb?mb=16', { code: 'body_too_large' }],
    ['/redirect?to=file:///etc/passwd', { code: 'egress_denied' }],
  ])('%s is a typed error', async (path, expected) => {
    expect(await browsers.fault(site.url(path))).toMatchObject(expected);
  });

  it('is a server that is not there, does not speak TLS, or has no trusted certificate', async () => {
    const closed = await startOwnSite();
    await closed.close();
    expect(await browsers.fault(closed.url('/'))).toMatchObject({ code: 'connect_failed' });
    expect(await browsers.fault(closed.url('/').replace('http:', 'https:'))).toMatchObject({ code: 'connect_failed' });
    expect(await browsers.fault(site.url('/').replace('http:', 'https:'))).toMatchObject({ code: 'tls_failed' });
    const secure = createHttpsServer({ cert: TLS_CERT, key: TLS_KEY }, (_, response) => response.end('secure'));
    const port = await listen(secure);
    expect(await browsers.fault(`https://127.0.0.1:${port}/`)).toMatchObject({ code: 'tls_failed' });
    secure.close();
  });

  it('is one behind a password', async () => {
    expect(await browsers.fault(own.url('/locked'))).toMatchObject({ code: 'target_client_error', httpStatus: 401 });
  });

  it('is a URL that is not http', async () => {
    for (const url of ['file:///etc/passwd', 'javascript:1', 'http://user:secret@127.0.0.1/', 'nonsense']) {
      const fault = await browsers.fault(url);
      expect(fault.code).toBe('egress_denied');
      expect(fault.message).not.toContain('secret');
    }
  });

  it('is a server that never answers, and a page that never ends', async () => {
    const fetcher = createBrowserFetcher({
      poolFor: () => browsers.pool,
      egressProxy: browsers.proxy,
      maxBodyBytes: 1024,
      navigationTimeoutMs: 800,
      clock: systemClock,
      random: Math.random,
    });
    for (const path of ['/hang', '/drip']) {
      const visit = fetcher.fetch(request(site.url(path)), AbortSignal.timeout(5000));
      await expect(visit).rejects.toMatchObject({ code: 'target_timeout' });
    }
  });
});

describe('a visit that is aborted', () => {
  it.each(['/hang', '/drip', '/spin', '/slow?ms=60000'])(
    'at %s ends at once and gives everything back',
    async (path) => {
      await until(() => browsers.pool.stats().in_use === 0);
      const reason = new GleanerError('task_timeout', 'The visit took too long.');
      const controller = new AbortController();
      const failed = browsers.fault(site.url(path), wantH1, controller.signal);
      await until(() => site.requests.some((seen) => seen.path === path));
      const abortedAt = performance.now();
      controller.abort(reason);
      expect(await failed).toBe(reason);
      // Far less than the ten seconds a navigation may take, with room for a busy machine.
      expect(performance.now() - abortedAt).toBeLessThan(5000);
      await until(() => browsers.pool.stats().contexts_open === 0, 4000);
      expect(browsers.pool.stats()).toMatchObject({ in_use: 0 });
    },
  );

  it('before it began touches nothing', async () => {
    const reason = new GleanerError('shutting_down', 'Stop.');
    const processed = browsers.pool.stats().pages_processed;
    expect(await browsers.fault(site.url('/job/1'), {}, AbortSignal.abort(reason))).toBe(reason);
    expect(browsers.pool.stats().pages_processed).toBe(processed);
  });

  it('leaves its neighbours on the same browser alone', async () => {
    const spinning = new AbortController();
    const failed = browsers.fault(site.url('/spin'), {}, spinning.signal);
    const neighbour = browsers.get(site.url('/job/5'), wantH1);
    expect((await neighbour).html).toContain(jobFacts(5).title);
    spinning.abort(new GleanerError('task_timeout', 'Too long.'));
    expect((await failed).code).toBe('task_timeout');
    expect((await browsers.get(site.url('/job/6'), wantH1)).html).toContain(jobFacts(6).title);
    expect(browsers.telemetry.retired).toEqual([]);
  });
});

interface OwnSite {
  url(path: string): string;
  seen: { url: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

const PAGES: Record<string, string> = {
  '/moves-on': `<script>setTimeout(() => location.replace('/moved'), 50)</script>`,
  '/moves-to-nowhere': `<script>location.replace('/nowhere')</script>`,
  '/moved': '<h1>here</h1>',
  '/calls-an-app': `<h1>still here</h1><script>location = 'someapp://open'; location = 'mailto:a@b.test'</script>`,
  '/liar': `<p>the truth</p><script>
    Object.defineProperty(Element.prototype, 'outerHTML', { get: () => 'a lie' });
    Object.defineProperty(document, 'documentElement', { get: () => null });
    performance.getEntriesByType = () => { throw new Error('no'); };
    JSON.stringify = String.prototype.toString = () => 'a lie';
    setTimeout = Promise = undefined;
  </script>`,
  '/identity': `<script>navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => fetch('/told?is=' + encodeURIComponent(JSON.stringify({
      agent: navigator.userAgent, brands: navigator.userAgentData.brands.map(({ brand }) => brand),
      platform: navigator.platform, languages: navigator.languages,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, width: innerWidth, geolocation: state,
    })))).then(() => { document.body.innerHTML = '<p id=done>'; });</script>`,
  '/rich': `<link rel=stylesheet href=/rich/style.css><script src=/rich/script.js></script>
    <img src=/rich/a.png><img src=/rich/picture><picture><source srcset=/rich/b><img src=/rich/c></picture>
    <video src=/rich/film autoplay poster=/rich/poster></video><audio src=/rich/sound preload=auto></audio>
    <p style="font-family: f; background: url(/rich/back)">text</p>
    <script>onload = () => fetch('/rich/data').then(() => { document.body.innerHTML = '<p id=loaded>'; });</script>`,
  '/permissions': `<script>Promise.all(['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi'].map((name) =>
      navigator.permissions.query({ name }).then(({ state }) => name + ' ' + state, () => name + ' unknown')
    )).then((states) => { document.body.innerHTML = '<p id=done>' + states.join(', '); });</script>`,
  '/offers': `<script>const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'.repeat(9999)]));
      a.download = 'offered.bin'; document.documentElement.append(a); a.click();
      setTimeout(() => { document.body.innerHTML = '<p id=done>'; }, 500);</script>`,
  '/worker': `<script>navigator.serviceWorker.register('/sw.js').catch(() => {}).then(() => { document.body.innerHTML = '<p id=done>'; });</script>`,
};

/** Browsers write below directories of ours only, so only those are searched. */
function filesBelow(root: string, name: string): string[] {
  const ours = readdirSync(root).filter((dir) => /^(gleaner-browser-|playwright)/.test(dir));
  return ours.flatMap((dir) => {
    try {
      return readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(name));
    } catch {
      return [];
    }
  });
}

async function startOwnSite(): Promise<OwnSite> {
  const seen: OwnSite['seen'] = [];
  const server = createHttpServer((request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '/';
    seen.push({ url, headers: request.headers });
    const body = url === '/cookie' ? `<p>cookie: ${request.headers.cookie ?? 'none'}</p>` : PAGES[url];
    const types: Record<string, string> = { css: 'text/css', js: 'text/javascript' };
    response.setHeader('content-type', types[url.split('.').at(-1) ?? ''] ?? 'text/html');
    if (url === '/cookie') response.setHeader('set-cookie', 'seen=yes');
    if (url === '/moved') response.statusCode = 203;
    if (url === '/nowhere') response.statusCode = 404;
    if (url === '/locked') response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' });
    if (url.endsWith('.css')) response.end('@font-face { font-family: f; src: url(/rich/font.woff2) }');
    else response.end(body ?? '');
  });
  const port = await listen(server);
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    seen,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
