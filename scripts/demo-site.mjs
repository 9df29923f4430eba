import { createServer } from 'node:http';

/**
 * A small website of ours to scrape without the internet: `/jobs/1` and `/company` are complete as they come,
 * `/jobs/2` is built by a script (so it takes a browser), `/private/` is forbidden by robots.txt, `/slow` takes long.
 * `/cases/IMM-1-25` is a register of cases, in which every fifth number was never given.
 * `/hooks` takes any webhook; `examples/webhook-receiver.mjs` shows how to verify one.
 * Answers `{ url, close }`; the server does not keep the process alive.
 */
export function startDemoSite({ port = 8099, host = '127.0.0.1' } = {}) {
  const server = createServer(answer);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.unref();
      const close = () => new Promise((done) => server.close(done).closeAllConnections());
      resolve({ url: `http://${host}:${server.address().port}`, close });
    });
  });
}

/** How the register of the demo site is described to the service. */
export const demoCases = (url) => `case_records:
  demo:
    prefix: IMM
    url: ${url}/cases/{id}
    render: http
    found: { selector: "#case" }
    no_record: { text: no such case }
    fields:
      case_number: "#case .number"
      title: "#case h1"
`;

const SLOW_MS = 8_000;

const HTML = 'text/html; charset=utf-8';

const ROUTES = {
  '/': [
    HTML,
    () => page('Demo site', links('/jobs/1', '/jobs/2', '/company', '/profile', '/news', '/slow', '/private/notes')),
  ],
  '/robots.txt': ['text/plain', () => 'User-agent: *\nDisallow: /private/\n'],
  '/jobs/1': [HTML, () => jobPage(JOB)],
  '/jobs/2': [HTML, () => page('Loading …', '<main id="app"></main><script src="/jobs/2.js"></script>')],
  '/jobs/2.js': ['text/javascript', () => JOB_SCRIPT],
  '/jobs/2.json': ['application/json', () => JSON.stringify({ ...JOB, title: 'Lock Keeper' })],
  '/company': [HTML, () => companyPage()],
  '/profile': [HTML, () => profilePage()],
  '/news': [HTML, () => newsPage()],
  '/lock.svg': ['image/svg+xml', () => LOCK_SVG],
  '/private/notes': [HTML, () => page('Private', '<p>robots.txt asks not to read this.</p>')],
};

const JOB = {
  '@context': 'https://schema.org',
  '@type': 'JobPosting',
  title: 'Canal Engineer',
  description: '<p>You keep 40 km of waterway open, <b>in all weathers</b>.</p>',
  datePosted: '2026-03-02',
  employmentType: 'FULL_TIME',
  hiringOrganization: { '@type': 'Organization', name: 'Towpath Works' },
  jobLocation: {
    '@type': 'Place',
    address: {
      '@type': 'PostalAddress',
      addressLocality: 'Ghent',
      addressRegion: 'East Flanders',
      addressCountry: 'BE',
    },
  },
  baseSalary: {
    '@type': 'MonetaryAmount',
    currency: 'EUR',
    value: { '@type': 'QuantitativeValue', minValue: 42000, maxValue: 51000, unitText: 'YEAR' },
  },
};

function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://site');
  if (pathname === '/slow') return void setTimeout(() => send(response, HTML, jobPage(JOB)), SLOW_MS).unref();
  if (pathname === '/hooks') return void request.resume().once('end', () => response.writeHead(204).end());
  const inRegister = /^\/cases\/(IMM-(\d+)-\d\d)$/.exec(pathname);
  if (inRegister) return send(response, HTML, casePage(inRegister[1], Number(inRegister[2])));
  const route = Object.hasOwn(ROUTES, pathname) ? ROUTES[pathname] : null;
  if (route) return send(response, route[0], route[1]());
  response.writeHead(404, { 'content-type': HTML }).end(page('Not found', '<p>There is no such page.</p>'));
}

const send = (response, type, body) => response.writeHead(200, { 'content-type': type }).end(body);

const page = (title, body, head = '') => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title>${head}</head>
<body>${body}</body>
</html>
`;

const casePage = (id, number) =>
  number % 5 === 0
    ? page('Register', '<p>There is no such case in the register.</p>')
    : page(
        id,
        `<main id="case"><h1>Towpath Works v. the weather, no. ${number}</h1><p class="number">${id}</p></main>`,
      );

const jsonLd = (data) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

const links = (...paths) => `<ul>${paths.map((path) => `<li><a href="${path}">${path}</a></li>`).join('')}</ul>`;

const jobPage = (job) =>
  page(
    `${job.title} at ${job.hiringOrganization.name}`,
    `<main><h1>${job.title}</h1><p>${job.hiringOrganization.name}, ${job.jobLocation.address.addressLocality}</p>
<div>${job.description}</div></main>`,
    jsonLd(job),
  );

/** Fetches the posting and writes it into the page, the way many job boards do. */
const JOB_SCRIPT = `
fetch('/jobs/2.json').then((answer) => answer.json()).then((job) => {
  const data = document.createElement('script');
  data.type = 'application/ld+json';
  data.textContent = JSON.stringify(job);
  document.head.append(data);
  document.title = job.title + ' at ' + job.hiringOrganization.name;
  const heading = document.createElement('h1');
  heading.textContent = job.title;
  document.getElementById('app').append(heading);
});
`;

const companyPage = () =>
  page(
    'Towpath Works',
    `<main><h1>Towpath Works</h1><p>We keep canals open.</p>
<p><a href="mailto:hello@towpath.example">hello@towpath.example</a>, <a href="tel:+3292000000">+32 9 200 00 00</a></p></main>`,
    `<meta name="description" content="We keep canals open, from dredging to lock gates.">
<meta property="og:site_name" content="Towpath Works">` +
      jsonLd({
        '@context': 'https://schema.org',
        '@type': 'Organization',
        name: 'Towpath Works',
        description: 'We keep canals open, from dredging to lock gates.',
        url: 'https://towpath.example/',
        email: 'hello@towpath.example',
        telephone: '+32 9 200 00 00',
        numberOfEmployees: { '@type': 'QuantitativeValue', minValue: 51, maxValue: 200 },
        address: JOB.jobLocation.address,
      }),
  );

const newsPage = () =>
  page(
    'The lock at Dampoort opens again – Towpath Works',
    `<nav>${links('/', '/company', '/jobs/1')}</nav>
<main><article><h1>The lock at Dampoort opens again</h1>
<p>After two winters of work the lock at Dampoort takes boats again. Its gates are new, its walls are as old as before.</p>
<img src="/lock.svg" alt="A lock with its gates open" width="320" height="120">
<h2>What was done</h2>
<ul><li>Four gates of oak, each of nine tonnes.</li><li>A new sill, cast under water.</li></ul>
<p>The keeper's post is <a href="/jobs/2">still open</a>; whoever takes it will live in the house beside the lock.</p></article></main>
<footer>Towpath Works, Ghent</footer>`,
    `<meta name="description" content="After two winters of work the lock at Dampoort takes boats again.">
<meta property="article:published_time" content="2026-03-02T08:00:00+01:00">`,
  );

const LOCK_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 120"><rect width="320" height="120" fill="#d7e7ee"/>
<path d="M60 20v80M260 20v80M60 60l90-20M260 60l-90-20" stroke="#345" stroke-width="12"/></svg>`;

const profilePage = () =>
  page(
    'Ada Merchant - Hydrologist - Towpath Works',
    '<main><h1>Ada Merchant</h1><h2>Hydrologist at Towpath Works</h2><p>Ghent, East Flanders, Belgium</p></main>',
    `<meta property="og:type" content="profile"><meta property="og:title" content="Ada Merchant">` +
      jsonLd({
        '@context': 'https://schema.org',
        '@type': 'Person',
        name: 'Ada Merchant',
        jobTitle: 'Hydrologist at Towpath Works',
        description: 'Measures water so that others can stay dry.',
        worksFor: { '@type': 'Organization', name: 'Towpath Works' },
        address: JOB.jobLocation.address,
      }),
  );
