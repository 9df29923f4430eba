/**
 * Everything we know a page can make a browser connect with. Each kind is given a port of its own at every host it
 * tries, so that a bare connection or a single datagram still says which kind it was.
 */
export interface Kind {
  name: string;
  /** Row of ssrf_scenarios.json it belongs to. */
  scenario: string;
  /** Markup that tries it. */
  html?: (to: Aim) => string;
  /** Script that tries it; `attempt`, `run` (code in a worker) and `peer` (WebRTC) are there for it. */
  script?: (to: Aim) => string;
  /** A `Link`, `Alt-Svc` … header of the page. */
  header?: (to: Aim) => [string, string];
  /** Leads the whole page away: it needs a page of its own. */
  leaves?: boolean;
  /** Only a page that came over TLS may try it. */
  needsTls?: boolean;
}

/** Where a kind aims: `http://10.0.0.5:20001` and its parts. */
export interface Aim {
  host: string;
  port: number;
  base: string;
}

export const KINDS: Kind[] = [
  { name: 'img', scenario: 'ss-8', html: ({ base }) => `<img src=${base}/>` },
  { name: 'srcset', scenario: 'ss-8', html: ({ base }) => `<picture><source srcset=${base}/><img></picture>` },
  { name: 'script', scenario: 'ss-8', html: ({ base }) => `<script async src=${base}/></script>` },
  { name: 'module', scenario: 'ss-8', script: ({ base }) => `attempt(() => import('${base}/m.js'));` },
  { name: 'css', scenario: 'ss-8', html: ({ base }) => `<link rel=stylesheet href=${base}/>` },
  { name: 'css-import', scenario: 'ss-8', html: ({ base }) => `<style>@import '${base}/';</style>` },
  { name: 'css-url', scenario: 'ss-8', html: ({ base }) => `<p style="background:url(${base}/)">x</p>` },
  { name: 'font', scenario: 'ss-8', script: ({ base }) => `attempt(() => new FontFace('f', 'url(${base}/)').load());` },
  { name: 'fetch', scenario: 'ss-8', script: ({ base }) => `attempt(() => fetch('${base}/', { mode: 'no-cors' }));` },
  {
    name: 'fetch-post',
    scenario: 'ss-8',
    script: ({ base }) =>
      `attempt(() => fetch('${base}/', { method: 'POST', mode: 'no-cors', body: 'x', keepalive: true }));`,
  },
  {
    name: 'xhr',
    scenario: 'ss-8',
    script: ({ base }) => `attempt(() => { const x = new XMLHttpRequest(); x.open('GET', '${base}/'); x.send(); });`,
  },
  { name: 'iframe', scenario: 'ss-8', html: ({ base }) => `<iframe src=${base}/></iframe>` },
  { name: 'object', scenario: 'ss-8', html: ({ base }) => `<object data=${base}/></object>` },
  { name: 'embed', scenario: 'ss-8', html: ({ base }) => `<embed src=${base}/>` },
  {
    name: 'form-post',
    scenario: 'ss-8',
    html: ({ base, port, host }) =>
      `<iframe name="n${port}${host}"></iframe><form method=post action=${base}/ target="n${port}${host}"></form>`,
    script: ({ base }) => `attempt(() => document.querySelector('form[action="${base}/"]').submit());`,
  },
  { name: 'beacon', scenario: 'ss-8', script: ({ base }) => `attempt(() => navigator.sendBeacon('${base}/', 'x'));` },
  { name: 'eventsource', scenario: 'ss-8', script: ({ base }) => `attempt(() => new EventSource('${base}/'));` },
  { name: 'video', scenario: 'ss-8', html: ({ base }) => `<video src=${base}/ autoplay preload=auto></video>` },
  { name: 'audio', scenario: 'ss-8', script: ({ base }) => `attempt(() => new Audio('${base}/').play());` },
  { name: 'favicon', scenario: 'ss-8', html: ({ base }) => `<link rel=icon href=${base}/i.png>` },
  { name: 'manifest', scenario: 'ss-8', html: ({ base }) => `<link rel=manifest href=${base}/m.json>` },
  { name: 'prefetch', scenario: 'ss-8', html: ({ base }) => `<link rel=prefetch href=${base}/>` },
  { name: 'preload', scenario: 'ss-8', html: ({ base }) => `<link rel=preload as=fetch crossorigin href=${base}/>` },
  { name: 'modulepreload', scenario: 'ss-8', html: ({ base }) => `<link rel=modulepreload href=${base}/m.js>` },
  { name: 'preconnect', scenario: 'ss-8', html: ({ base }) => `<link rel=preconnect href=${base}>` },
  { name: 'speculation-prefetch', scenario: 'ss-8', html: ({ base }) => speculation('prefetch', base) },
  { name: 'speculation-prerender', scenario: 'ss-8', html: ({ base }) => speculation('prerender', base) },
  {
    name: 'csp-report',
    scenario: 'ss-8',
    header: ({ base }) => ['content-security-policy-report-only', `script-src 'none'; report-uri ${base}/`],
  },
  {
    name: 'ping',
    scenario: 'ss-8',
    script: ({ base }) => `attempt(() => {
      const a = Object.assign(document.createElement('a'), { href: '#x', ping: '${base}/' });
      document.body.append(a);
      a.click();
    });`,
  },
  { name: 'websocket', scenario: 'ss-9', script: (to) => `attempt(() => new WebSocket('${socketUrl('ws', to)}'));` },
  {
    name: 'websocket-tls',
    scenario: 'ss-9',
    script: (to) => `attempt(() => new WebSocket('${socketUrl('wss', to)}'));`,
  },
  { name: 'stun', scenario: 'ss-10', script: ({ host, port }) => `peer({ urls: 'stun:${host}:${port}' });` },
  { name: 'turn-udp', scenario: 'ss-10', script: ({ host, port }) => turn(`turn:${host}:${port}?transport=udp`) },
  { name: 'turn-tcp', scenario: 'ss-10', script: ({ host, port }) => turn(`turn:${host}:${port}?transport=tcp`) },
  { name: 'turn-tls', scenario: 'ss-10', script: ({ host, port }) => turn(`turns:${host}:${port}?transport=tcp`) },
  {
    name: 'webtransport',
    scenario: 'ss-11',
    needsTls: true,
    script: ({ host, port }) => `attempt(() => new WebTransport('https://${host}:${port}/').ready);`,
  },
  { name: 'worker-fetch', scenario: 'ss-12', script: ({ base }) => inWorker('Worker', `fetch('${base}/', NO_CORS)`) },
  {
    name: 'worker-websocket',
    scenario: 'ss-12',
    script: (to) => inWorker('Worker', `new WebSocket('${socketUrl('ws', to)}')`),
  },
  {
    name: 'worker-import',
    scenario: 'ss-12',
    script: ({ base }) => inWorker('Worker', `importScripts('${base}/w.js')`),
  },
  {
    name: 'shared-worker',
    scenario: 'ss-12',
    script: ({ base }) => inWorker('SharedWorker', `fetch('${base}/', NO_CORS)`),
  },
  {
    name: 'service-worker',
    scenario: 'ss-12',
    needsTls: true,
    script: ({ base }) =>
      `attempt(() => navigator.serviceWorker.register('/service-worker.js?to=' + encodeURIComponent('${base}/')));`,
  },
  {
    name: 'popup',
    scenario: 'ss-13',
    script: ({ base }) => `attempt(() => { opened.push(window.open('${base}/')); });`,
  },
  {
    name: 'meta-refresh',
    scenario: 'ss-14',
    leaves: true,
    html: ({ base }) => `<meta http-equiv=refresh content="0;url=${base}/">`,
  },
  { name: 'location', scenario: 'ss-14', leaves: true, script: ({ base }) => `location.href = '${base}/';` },
  {
    name: 'form-submit',
    scenario: 'ss-14',
    leaves: true,
    html: ({ base }) => `<form method=post action=${base}/></form>`,
    script: () => 'document.forms[0].submit();',
  },
  {
    // To another site the attribute is not heeded, and the page is led away.
    name: 'download',
    scenario: 'ss-15',
    leaves: true,
    script: ({ base }) => `attempt(() => {
      const a = Object.assign(document.createElement('a'), { href: '${base}/file.bin', download: 'file.bin' });
      document.body.append(a);
      a.click();
    });`,
  },
  { name: 'link-preconnect', scenario: 'ss-22', header: ({ base }) => ['link', `<${base}>; rel=preconnect`] },
  { name: 'link-preload', scenario: 'ss-22', header: ({ base }) => ['link', `<${base}/>; rel=preload; as=script`] },
  // These two are what a server says before and beside the page; see `run.ts`.
  { name: 'early-hint', scenario: 'ss-22', needsTls: true },
  { name: 'alt-svc', scenario: 'ss-23', needsTls: true },
];

const speculation = (how: string, base: string): string =>
  `<script type=speculationrules>{"${how}":[{"source":"list","urls":["${base}/"],"eagerness":"immediate"}]}</script>`;

const socketUrl = (scheme: string, { host, port }: Aim): string => `${scheme}://${host}:${port}/`;

const turn = (urls: string): string => `peer({ urls: '${urls}', username: 'u', credential: 'c' });`;

const inWorker = (worker: string, code: string): string =>
  `attempt(() => new ${worker}(URL.createObjectURL(new Blob([${JSON.stringify(`const NO_CORS = { mode: 'no-cors' }; ${code}`)}]))));`;

/** The page that tries these kinds at these hosts. `DONE` stands in it once every attempt has begun. */
export function hostilePage(kinds: Kind[], aims: (kind: Kind) => Aim[]): string {
  const each = (part: 'html' | 'script'): string =>
    kinds.flatMap((kind) => aims(kind).map((aim) => kind[part]?.(aim) ?? '')).join('\n');
  return `<!doctype html><html><head><title>a page</title></head><body><p>a page</p>${each('html')}
    <script>${TOOLS}${each('script')}
    document.body.append(${JSON.stringify(DONE)} + ' secure=' + isSecureContext + ' popups=' + opened.filter(Boolean).length);</script></body></html>`;
}

export const DONE = 'every attempt has begun';

const TOOLS = `
  const opened = [];
  const attempt = (work) => { try { const r = work(); if (r && r.catch) r.catch(() => {}); } catch {} };
  const peer = (server) => attempt(() => {
    const connection = new RTCPeerConnection({ iceServers: [server] });
    connection.createDataChannel('c');
    return connection.createOffer().then((offer) => connection.setLocalDescription(offer));
  });
`;

/** The headers of that page, for the kinds that are headers. */
export function hostileHeaders(kinds: Kind[], aims: (kind: Kind) => Aim[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const kind of kinds) {
    for (const [name, value] of aims(kind).flatMap((aim) => (kind.header ? [kind.header(aim)] : []))) {
      (headers[name] ??= []).push(value);
    }
  }
  return headers;
}

/** Served under /service-worker.js of the page's own site. */
export const SERVICE_WORKER = `fetch(new URL(location).searchParams.get('to'), { mode: 'no-cors' }).catch(() => {});`;
