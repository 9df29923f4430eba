import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installed, whyNoFull } from '../support/engines.js';
import { type PageServer, startPageServer } from '../support/page-server.js';
import { type Browsers, startBrowsers } from './browser-kit.js';

/** What full Chromium does otherwise than the shell, which all other tests run on. */
describe.skipIf(!installed.chromium)(`full Chromium${whyNoFull}`, () => {
  let site: PageServer;
  let browsers: Browsers;

  beforeAll(async () => {
    site = await startPageServer({
      '/surfaces': `<script>document.title = [typeof chrome, navigator.plugins.length > 0, navigator.pdfViewerEnabled]</script>`,
      '/busy': (_url, response) => void response.writeHead(429, { 'retry-after': '7' }),
      '/locked': (_url, response) => void response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }),
      '/leads-to-nowhere': `<script>location.replace('/nowhere')</script>`,
      '/popups': `<script>document.title = [1, 2, 3].map((n) => String(open('/popup?' + n)))</script>`,
    });
    browsers = await startBrowsers({ chromium: installed.chromium });
  });

  afterAll(async () => {
    await browsers?.close();
    await site?.close();
  });

  it('has what a page misses in the shell', async () => {
    const page = await browsers.get(site.url('/surfaces'));
    expect(page.html).toContain('<title>object,true,true</title>');
  });

  it('opens no popups', async () => {
    const page = await browsers.get(site.url('/popups'));
    expect(page.html).toContain('<title>null,null,null</title>');
    expect(site.asked('127.0.0.1')).not.toContain('GET /popup');
  });

  it('tells an error status without a body, which it takes for a failure, and what came with it', async () => {
    const busy = await browsers.fault(site.url('/busy'));
    expect(busy).toMatchObject({ code: 'rate_limited', httpStatus: 429, retryAfterMs: 7000 });
    const locked = await browsers.fault(site.url('/locked'));
    expect(locked).toMatchObject({ code: 'target_client_error', httpStatus: 401, answer: undefined });
    const wait = { waitFor: { selectors: ['#never'], timeoutMs: 3000 } };
    const led = await browsers.fault(site.url('/leads-to-nowhere'), wait);
    expect(led).toMatchObject({ code: 'target_client_error', httpStatus: 404 });
  });
});
