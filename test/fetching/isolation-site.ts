import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a visit found when it came, and what it heard from others while it was there. */
export interface Found {
  /** Kinds of traces of others; none in a place where nobody else is or was. */
  traces: string[];
  /** A number that is given out once: two visits with the same one share a cache. */
  stamp: string;
  permissions: Record<string, string>;
}

export interface IsolationSite {
  /** Looks for everything a page can leave behind, then leaves all of it. */
  room: string;
  /** Two come at once: each leaves what it has, and looks when the other has done so too. */
  meeting: string;
  close(): Promise<void>;
}

/** On 127.0.0.1, which counts as secure, so that a page may use everything there is. */
export async function startIsolationSite(): Promise<IsolationSite> {
  const waiting = new Map<string, ServerResponse[]>();
  let stamps = 0;

  const meet = (at: string, response: ServerResponse): void => {
    const here = [...(waiting.get(at) ?? []), response];
    waiting.set(at, here);
    if (here.length < 2) return;
    waiting.delete(at);
    for (const one of here) one.end('all here');
  };

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://site');
    if (pathname.startsWith('/meet/')) return meet(pathname, response);
    if (pathname === '/stamp') {
      return response.writeHead(200, { 'cache-control': 'max-age=3600' }).end(String(++stamps));
    }
    if (pathname.endsWith('.js')) {
      const script = `let come = 0; onconnect = ({ ports: [port] }) => port.postMessage(++come);`;
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    }
    const hidden = /\bhidden=/.test(request.headers.cookie ?? '');
    const hinted = request.headers['sec-ch-ua-platform-version'] !== undefined;
    response.writeHead(200, {
      'content-type': 'text/html',
      'cache-control': 'no-store',
      'accept-ch': 'sec-ch-ua-platform-version',
      'set-cookie': 'hidden=1; HttpOnly; Max-Age=3600',
    });
    response.end(pageFor({ hidden, hinted, isMeeting: pathname === '/meeting' }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    room: `${origin}/room`,
    meeting: `${origin}/meeting`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const foundIn = (html: string): Found => JSON.parse(/<pre>(\{.*?\})<\/pre>/s.exec(html)?.[1] ?? 'null') as Found;

interface Served {
  hidden: boolean;
  hinted: boolean;
  isMeeting: boolean;
}

const pageFor = (served: Served): string => `<!doctype html><title>room</title><script>
const served = ${JSON.stringify(served)};
const me = 'left' + Math.random();
const traces = new Set();
const note = (kind, isThere) => { if (isThere) traces.add(kind); };
const others = (names) => [...names].some((name) => !name.includes(me));
const together = (place) => served.isMeeting && fetch('/meet/' + place + '?' + me).then((answer) => answer.text());

const channel = new BroadcastChannel('room');
channel.onmessage = () => note('message', true);
addEventListener('storage', () => note('storage event', true));

const look = async () => {
  note('hidden cookie', served.hidden);
  note('asked-for client hints', served.hinted);
  note('cookie', others(document.cookie.split(/; */).filter(Boolean)));
  note('localStorage', others(Object.keys(localStorage)));
  note('sessionStorage', others(Object.keys(sessionStorage)));
  note('window.name', window.name !== '' && window.name !== me);
  note('IndexedDB', others((await indexedDB.databases()).map(({ name }) => name)));
  note('Cache API', others(await caches.keys()));
  note('service worker', (await navigator.serviceWorker.getRegistrations()).some(({ scope }) => !scope.includes(me)));
  for await (const name of (await navigator.storage.getDirectory()).keys()) note('file', !name.includes(me));
  note('lock', others((await navigator.locks.query()).held.map(({ name }) => name)));
  note('shared worker', typeof SharedWorker !== 'undefined' && await new Promise((resolve) => {
    new SharedWorker('/shared.js').port.onmessage = ({ data: come }) => resolve(come > 1);
  }));
};

const leave = async () => {
  document.cookie = me + '=1; max-age=3600';
  localStorage.setItem(me, '1');
  sessionStorage.setItem(me, '1');
  window.name = me;
  await new Promise((resolve) => { const asked = indexedDB.open(me); asked.onsuccess = asked.onerror = resolve; });
  await (await caches.open(me)).put('/left', new Response('left'));
  await (await navigator.storage.getDirectory()).getFileHandle(me, { create: true });
  // Where they are refused, nobody says so: the promise stays open.
  const registered = navigator.serviceWorker.register('/worker.js', { scope: '/' + me }).catch(() => null);
  await Promise.race([registered, new Promise((resolve) => setTimeout(resolve, 1000))]);
  await new Promise((taken) => navigator.locks.request(me, () => { taken(); return new Promise(() => {}); }));
  channel.postMessage('hello');
};

const steps = served.isMeeting ? [leave, look] : [look, leave];
(async () => {
  await together('before');
  await steps[0]();
  await together('between');
  await steps[1]();
  await together('after');
  const stamp = await (await fetch('/stamp')).text();
  const permissions = {};
  for (const name of ['geolocation', 'notifications', 'clipboard-read', 'camera']) {
    permissions[name] = (await navigator.permissions.query({ name })).state;
  }
  await together('end');
  document.body.innerHTML = '<pre>' + JSON.stringify({ traces: [...traces], stamp, permissions }) + '</pre><p id="done"></p>';
})();
</script><body>`;
