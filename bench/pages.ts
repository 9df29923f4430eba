/** Pages of a given size, the same every time: what sites send, without being any of them. */

const WORDS = (
  'oven flour bread rye baker morning street mill river stone table window order recipe salt water yeast crust butter ' +
  'people work team design build care house city year plan open close early late warm cold bright quiet'
).split(' ');

const sentence = (seed: number): string => {
  const words = Array.from({ length: 12 }, (_, n) => WORDS[(seed * 7 + n * n + n * 3) % WORDS.length]);
  return `${words.join(' ')}.`.replace(/^./, (first) => first.toUpperCase());
};

/** Repeats numbered pieces up to a size. */
function filled(size: number, piece: (n: number) => string): string {
  const pieces: string[] = [];
  for (let length = 0; length < size; ) {
    const next = piece(pieces.length);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join('\n');
}

const document = (head: string, body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n${head}</head>\n<body class="page page--wide">\n${body}\n</body>\n</html>`;

const navigation = (links: number): string =>
  `<header class="site-header"><nav class="nav nav--main" aria-label="Main"><ul>${Array.from(
    { length: links },
    (_, n) =>
      `<li class="nav__item"><a class="nav__link" href="/section/${n}">${WORDS[n % WORDS.length]} ${n}</a></li>`,
  ).join('')}</ul></nav></header>`;

const FOOT =
  '<footer class="site-footer"><p>Crumb Bakery Ltd, 12 Mill Lane, Oxford OX1 2AB, United Kingdom</p><p>Tel: +44 1865 496 0123</p><p><a href="mailto:hello@crumb.example">hello@crumb.example</a></p><p>© 2025 Crumb Bakery Ltd. All rights reserved.</p></footer>';

const script = (size: number): string =>
  `<script>${filled(size, (n) => `window.crumb=window.crumb||[];window.crumb.push({event:"view",slot:${n}});`)}</script>`;

export function jobPage(size: number): string {
  const paragraphs = filled(size / 3, (n) => `<p>${sentence(n)}</p>`);
  const posting = {
    '@context': 'https://schema.org',
    '@type': 'JobPosting',
    title: 'Night Baker',
    description: paragraphs,
    datePosted: '2025-11-01',
    hiringOrganization: { '@type': 'Organization', name: 'Crumb Bakery Ltd' },
    jobLocation: {
      '@type': 'Place',
      address: { '@type': 'PostalAddress', addressLocality: 'Oxford', addressCountry: 'GB' },
    },
    baseSalary: {
      '@type': 'MonetaryAmount',
      currency: 'GBP',
      value: { '@type': 'QuantitativeValue', minValue: 28_000, maxValue: 32_000, unitText: 'YEAR' },
    },
  };
  const data = JSON.stringify(posting).replaceAll('<', '\\u003c');
  return document(
    `<title>Night Baker in Oxford | Crumb Jobs</title><script type="application/ld+json">${data}</script>${script(size / 6)}`,
    `${navigation(20)}<main><h1>Night Baker</h1><dl><dt>Location</dt><dd>Oxford</dd><dt>Salary</dt><dd>£28,000 – £32,000 a year</dd></dl>${paragraphs}</main>${FOOT}`,
  );
}

/** Much markup and little text, as page builders make it. */
export function companyPage(size: number): string {
  const section = (n: number): string =>
    `<section class="section section--${n} u-padding-large u-background-light" data-section="${n}"><div class="container"><div class="row row--gutter"><div class="col col-12 col-md-6"><h2 class="heading heading--2">${sentence(n).slice(0, 30)}</h2><div class="rich-text"><p><span style="font-weight: 400;">${sentence(n)}</span></p></div><a class="button button--primary" href="/page/${n}"><span class="button__label">Read more</span></a></div><div class="col col-12 col-md-6"><img class="image image--lazy" src="/img/${n}.jpg" alt="${WORDS[n % WORDS.length]}" loading="lazy"></div></div></div></section>`;
  return document(
    `<title>Crumb Bakery – Bread for Oxford</title><meta name="description" content="Crumb Bakery bakes bread for Oxford.">${script(size / 8)}`,
    `${navigation(40)}${filled(size * 0.84, section)}${FOOT}`,
  );
}

/** Much text, links within it, and what stands beside it. */
export function articlePage(size: number): string {
  const paragraph = (n: number): string =>
    `<p>${sentence(n)} ${sentence(n + 1)} <a href="/story/${n}">${sentence(n + 2).slice(0, 20)}</a> ${sentence(n + 3)} ${sentence(n + 4)} &mdash; ${sentence(n + 5)}</p>`;
  const related = Array.from({ length: 30 }, (_, n) => `<li><a href="/story/${n}">${sentence(n)}</a></li>`).join('');
  return document(
    `<title>How bread came to Oxford – Crumb News</title><meta property="og:type" content="article"><meta property="article:published_time" content="2025-10-01T08:00:00Z">${script(size / 8)}`,
    `${navigation(40)}<main><article><h1>How bread came to Oxford</h1>${filled(size * 0.8, paragraph)}</article><aside><ul>${related}</ul></aside></main>${FOOT}`,
  );
}
