import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLS_CERT, TLS_KEY } from '../support/tls.js';

/** What one script, wherever it runs, is told about the browser. Windows know more than workers. */
export interface Told {
  userAgent: string;
  appVersion: string;
  platform: string;
  language: string;
  languages: string[];
  hints: Record<string, unknown>;
  hardwareConcurrency: number;
  deviceMemory: number;
  timezone: string;
  locale: string;
  clock: string;
  window?: { screen: number[]; fits: boolean; outer: number[]; pixelRatio: number; webdriver: boolean };
}

export interface SeenRequest {
  host: string;
  path: string;
  /** Name and value, as they came and in the order they came. */
  headers: [name: string, value: string][];
}

/**
 * A site that asks every script it can start who it is: the page, a frame of its own, one of another site, workers from
 * a file and from a blob, and a worker's worker. Over http and https, under `tls.example` and `other.example`.
 */
export interface IdentitySite {
  http: string;
  https: string;
  /** The same over https under another name. */
  elsewhere: string;
  seen: SeenRequest[];
  told: Record<string, Told>;
  close(): Promise<void>;
}

export async function startIdentitySite(): Promise<IdentitySite> {
  const seen: SeenRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { rawHeaders: raw, headers, url: path = '' } = request;
    const pairs = raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
    seen.push({ host: headers.host ?? '', path, headers: pairs });
    const body = await text(request);
    if (path === '/told') Object.assign(site.told, JSON.parse(body) as object);
    const [type, content] = FILES[path] ?? ['text/html', '<p>nothing'];
    const status = path === '/cookie' ? 302 : 200;
    response.writeHead(status, {
      'content-type': `${type}; charset=utf-8`,
      ...(path === '/who' ? { 'accept-ch': ALL_HINTS } : {}),
      ...(status === 302 ? { location: '/with-cookie', 'set-cookie': 'seen=1' } : {}),
    });
    response.end(content.replaceAll('ELSEWHERE', site.elsewhere));
  };
  const plain = createServer((...call) => void serve(...call));
  const secure = createHttpsServer({ cert: TLS_CERT, key: TLS_KEY }, (...call) => void serve(...call));
  const [port, securePort] = [await listen(plain), await listen(secure)];
  const site: IdentitySite = {
    http: `http://tls.example:${port}`,
    https: `https://tls.example:${securePort}`,
    elsewhere: `https://other.example:${securePort}`,
    seen,
    told: {},
    async close() {
      for (const server of [plain, secure]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
  return site;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const ALL_HINTS =
  'Sec-CH-UA-Full-Version-List, Sec-CH-UA-Platform-Version, Sec-CH-UA-Arch, Sec-CH-UA-Bitness, Sec-CH-UA-Model';

/** Reads at once, without waiting for anything first: what is put right a moment later was wrong. */
const TELL = `(() => {
  const { navigator } = self;
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  const told = {
    userAgent: navigator.userAgent, appVersion: navigator.appVersion, platform: navigator.platform,
    language: navigator.language, languages: [...navigator.languages],
    hints: navigator.userAgentData.toJSON(),
    hardwareConcurrency: navigator.hardwareConcurrency, deviceMemory: navigator.deviceMemory,
    timezone: timeZone, locale, clock: new Date(0).toString(),
  };
  if (self.window) told.window = {
    screen: [screen.width, screen.height, screen.availWidth, screen.availHeight],
    fits: matchMedia('(device-width: ' + screen.width + 'px) and (device-height: ' + screen.height + 'px)').matches,
    outer: [outerWidth, outerHeight], pixelRatio: devicePixelRatio, webdriver: navigator.webdriver,
  };
  const asked = ['architecture', 'bitness', 'formFactors', 'fullVersionList', 'model', 'platformVersion', 'uaFullVersion', 'wow64'];
  return navigator.userAgentData.getHighEntropyValues(asked).then((hints) => ({ ...told, hints: { ...told.hints, ...hints } }));
})()`;

const TELLING_WORKER = `${TELL}.then(async (told) => { await fetch('/from-worker'); postMessage(told); });`;

const PAGE = `<!doctype html><title>who</title><body><script>
  const heard = (target) => new Promise((resolve) => { target.onmessage = ({ data }) => resolve(data); });
  const blob = (source) => URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const frame = (src) => { const made = document.createElement('iframe'); made.src = src; document.body.append(made); return heard(window); };
  (async () => {
    const told = { page: await ${TELL} };
    await fetch('/from-page');
    told.worker = await heard(new Worker('/worker.js'));
    told.blobWorker = await heard(new Worker(blob(${JSON.stringify(`${TELL}.then((told) => postMessage(told))`)})));
    told.nestedWorker = await heard(new Worker('/nest.js'));
    told.frame = await frame('/frame');
    told.foreignFrame = await frame('ELSEWHERE/frame');
    told.foreignWorker = await frame('ELSEWHERE/frame-with-worker');
    // The shell knows the size of its window a moment late, in about every fifth page.
    told.page.window.outer = [outerWidth, outerHeight];
    await fetch('/told', { method: 'POST', body: JSON.stringify(told) });
  })().catch((error) => { document.title = String(error); }).finally(() => { document.body.innerHTML = '<p id=done>'; });
</script>`;

/** Workers in numbers, all starting at once: what is said to each of them arrives in every order there is. */
const CROWD = `<!doctype html><title>crowd</title><body><script>
  const blob = new Blob([${JSON.stringify(`${TELL}.then((told) => postMessage(told))`)}]);
  const started = Array.from({ length: 30 }, () => new Worker(URL.createObjectURL(blob)));
  const heard = (worker) => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve([crypto.randomUUID(), data]); });
  Promise.all(started.map(heard))
    .then((told) => fetch('/told', { method: 'POST', body: JSON.stringify(Object.fromEntries(told)) }))
    .finally(() => { document.body.innerHTML = '<p id=done>'; });
</script>`;

const FILES: Record<string, [type: string, content: string]> = {
  '/who': ['text/html', PAGE],
  '/crowd': ['text/html', CROWD],
  '/worker.js': ['text/javascript', TELLING_WORKER],
  // From a blob: the request for the file of a worker's worker is one that Chromium lets nobody describe.
  '/nest.js': [
    'text/javascript',
    `const blob = new Blob([${JSON.stringify(`${TELL}.then((told) => postMessage(told))`)}]);
    new Worker(URL.createObjectURL(blob)).onmessage = ({ data }) => postMessage(data);`,
  ],
  '/frame': ['text/html', `<!doctype html><script>${TELL}.then((told) => parent.postMessage(told, '*'))</script>`],
  '/frame-with-worker': [
    'text/html',
    `<!doctype html><script>new Worker('/worker.js').onmessage = ({ data }) => parent.postMessage(data, '*')</script>`,
  ],
  '/shared': [
    'text/html',
    `<!doctype html><p id=done><script>document.title = 'SharedWorker: ' + typeof SharedWorker</script>`,
  ],
};
