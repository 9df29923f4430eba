import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsers, startBrowsers } from './browser-kit.js';

let browsers: Browsers;
let server: Server;
let asked: string[] = [];

/** One red pixel, stretched by the page. */
const RED = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const PAGES: Record<string, string> = {
  '/short': '<h1>Short</h1><img src="/red.png" width="400" height="300">',
  '/long': '<body style="margin:0"><div style="height:3000px">long</div></body>',
  '/endless': '<body style="margin:0"><div style="height:900000px">endless</div></body>',
  '/slow': '<h1>Slow</h1><img src="/never.png">',
};

beforeAll(async () => {
  const listening = createServer(({ url = '/' }, response) => {
    asked.push(url);
    if (url === '/red.png') response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(RED, 'base64'));
    else if (url !== '/never.png') response.writeHead(200, { 'content-type': 'text/html' }).end(PAGES[url] ?? '');
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  server = listening;
  browsers = await startBrowsers({ maxBodyBytes: 4 * 1024 * 1024 });
});

afterAll(async () => {
  await browsers.close();
  await new Promise((done) => (server as import('node:http').Server).close(done).closeAllConnections());
});

const urlOf = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

async function picture(path: string): Promise<{ bytes: Buffer; width: number; height: number }> {
  const page = await browsers.get(urlOf(path), { screenshot: true });
  const bytes = Buffer.from(page.screenshot ?? []);
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  return { bytes, width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

describe('a screenshot', () => {
  it('is taken only when asked for, and only then images are loaded', async () => {
    asked = [];
    const plain = await browsers.get(urlOf('/short'));
    expect(plain.screenshot).toBeUndefined();
    expect(asked).not.toContain('/red.png');
    const { width, height } = await picture('/short');
    expect({ width, height }).toEqual({ width: 1400, height: 850 });
    expect(asked).toContain('/red.png');
  });

  it('shows the whole page, down to a limit', async () => {
    expect((await picture('/long')).height).toBe(3000);
    expect((await picture('/endless')).height).toBe(10_000);
  });

  it('does not wait for ever for an image', async () => {
    expect((await picture('/slow')).height).toBe(850);
  });
});
