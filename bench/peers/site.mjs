/**
 * The website that every contestant reads: the same in every run, cheap to serve (all of it made and compressed
 * beforehand), on one port of 127.0.0.1 … 127.0.0.8, which are eight domains.
 *
 *   /job/N      server-rendered job page, about 30 KB      N = 0 … 199
 *   /company/N  server-rendered company page, about 150 KB
 *   /js/N       the job page of a script: an empty root until it has asked /api/js/N
 *   /__stats    how much was asked for, and what answering cost
 */
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { factsOf, HOSTS, VARIANTS } from './facts.mjs';
import { APP_SCRIPT, picture, repeat, script, stylesheet, words } from './site-assets.mjs';

const port = Number(process.argv[2] ?? 8800);
const HTML = 'text/html; charset=utf-8';
const routes = new Map();

function add(path, type, body, cache = 'public, max-age=3600') {
  const raw = Buffer.from(body);
  const zipped = type.startsWith('image/') ? null : gzipSync(raw);
  routes.set(path, { type, raw, zipped, cache });
}

function page(n, title, head, body) {
  const links = repeat(30, (i) => `<a class="c0-${i}" href="/job/${(n + i + 1) % VARIANTS}">${words(2)}</a>`);
  const styles = repeat(3, (i) => `<link rel="stylesheet" href="/s/${i}.css">`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="description" content="${words(20)}">${styles.join('')}${head}</head><body>
<header><nav>${links.join('')}</nav></header>${body}</body></html>`;
}

const images = (count) =>
  repeat(count, (i) => `<img src="/s/${i}.png" width="160" height="120" alt="${words(3)}">`).join('');
const scripts = (...names) => names.map((name) => `<script src="/s/${name}.js"></script>`).join('');
const dataTag = (data) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

function section(n, items) {
  const item = (i) => `<li class="c2-${(n * 7 + i) % 260}"><span>${words(4)}</span> <b>${words(2)}</b></li>`;
  const list = repeat(items, item).join('');
  return `<section class="card c1-${n}"><h2>${words(4)}</h2><p>${words(60)}</p><ul>${list}</ul></section>`;
}
const sections = (count, items) => repeat(count, (i) => section(i, items)).join('\n');

const postingData = ({ value, identifier }) => ({
  '@context': 'https://schema.org',
  '@type': 'JobPosting',
  identifier,
  title: value,
  datePosted: '2026-10-01',
  validThrough: '2036-12-01',
  employmentType: 'FULL_TIME',
  description: words(250),
  hiringOrganization: { '@type': 'Organization', name: 'Juniper Works GmbH' },
  jobLocation: {
    '@type': 'Place',
    address: { '@type': 'PostalAddress', addressLocality: 'Berlin', addressCountry: 'DE' },
  },
  baseSalary: {
    '@type': 'MonetaryAmount',
    currency: 'EUR',
    value: { '@type': 'QuantitativeValue', minValue: 60_000, maxValue: 90_000, unitText: 'YEAR' },
  },
});

const companyData = ({ value, identifier }) => ({
  '@context': 'https://schema.org',
  '@type': 'Organization',
  identifier,
  name: value,
  description: words(120),
});

function addPages(n) {
  const job = factsOf('job', n);
  const jobBody = `<main><h1 id="ready">${job.value}</h1>${images(6)}${sections(21, 8)}</main>${scripts(0, 1)}`;
  add(`/job/${n}`, HTML, page(n, job.title, dataTag(postingData(job)), jobBody), 'no-store');

  const company = factsOf('company', n);
  const companyBody = `<main><h1 id="ready">${company.value}</h1>${images(12)}${sections(104, 10)}</main>${scripts(0, 1)}`;
  add(`/company/${n}`, HTML, page(n, company.title, dataTag(companyData(company)), companyBody), 'no-store');

  const posting = factsOf('js', n);
  add(`/js/${n}`, HTML, page(n, 'Loading…', '', `<div id="root"></div>${scripts(0, 'app')}`), 'no-store');
  const answer = { title: posting.title, data: postingData(posting), html: images(6) + sections(12, 8) };
  add(`/api/js/${n}`, 'application/json', JSON.stringify(answer), 'no-store');
}

for (let i = 0; i < 3; i++) add(`/s/${i}.css`, 'text/css', stylesheet(i));
for (let i = 0; i < 2; i++) add(`/s/${i}.js`, 'text/javascript', script(i));
add('/s/app.js', 'text/javascript', APP_SCRIPT);
for (let i = 0; i < 12; i++) add(`/s/${i}.png`, 'image/png', picture(160 + 10 * i, 120));
add('/robots.txt', 'text/plain', 'User-agent: *\nAllow: /\n');
for (let n = 0; n < VARIANTS; n++) addPages(n);

const stats = { requests: 0, bytes: 0 };

function answer(request, response) {
  if (request.url === '/__stats') {
    const { user, system } = process.cpuUsage();
    response.end(JSON.stringify({ ...stats, cpuMs: (user + system) / 1000 }));
    return;
  }
  stats.requests += 1;
  const found = routes.get(request.url.split('?', 1)[0]);
  if (!found) {
    response.writeHead(404).end('not found');
    return;
  }
  const isZipped = found.zipped && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const body = isZipped ? found.zipped : found.raw;
  stats.bytes += body.length;
  response.writeHead(200, {
    'content-type': found.type,
    'content-length': body.length,
    'cache-control': found.cache,
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
  });
  response.end(body);
}

const listening = HOSTS.map(
  (host) =>
    new Promise((resolve, reject) => {
      createServer({ keepAliveTimeout: 60_000 }, answer).on('error', reject).listen(port, host, 1024, resolve);
    }),
);
await Promise.all(listening);
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
