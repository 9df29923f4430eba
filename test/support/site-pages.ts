/** The pages of the test site. Everything in them follows from the number, so that a test can say what it expects. */
export interface JobFacts {
  title: string;
  company: string;
  city: string;
  region: string;
  country: string;
  salaryMin: number;
  salaryMax: number;
  description: string;
}

export function jobFacts(n: number): JobFacts {
  return {
    title: `Gardener Grade ${n}`,
    company: `Orchard ${n} Ltd`,
    city: 'Springfield',
    region: 'IL',
    country: 'US',
    salaryMin: 30000 + n,
    salaryMax: 40000 + n,
    description: `Tends ${n} trees & waters them. Bring your own hat.`,
  };
}

export function jobJsonLd(n: number, url: string): object {
  const job = jobFacts(n);
  return {
    '@context': 'https://schema.org',
    '@type': 'JobPosting',
    title: job.title,
    url,
    datePosted: '2025-01-15',
    description: `<p>${job.description.replace('&', '&amp;')}</p>`,
    hiringOrganization: { '@type': 'Organization', name: job.company },
    jobLocation: {
      '@type': 'Place',
      address: {
        '@type': 'PostalAddress',
        addressLocality: job.city,
        addressRegion: job.region,
        addressCountry: job.country,
      },
    },
    baseSalary: {
      '@type': 'MonetaryAmount',
      currency: 'USD',
      value: { '@type': 'QuantitativeValue', minValue: job.salaryMin, maxValue: job.salaryMax, unitText: 'YEAR' },
    },
  };
}

export function jobPage(n: number, url: string, extra = ''): string {
  const job = jobFacts(n);
  return page(
    `${job.title} at ${job.company}`,
    `<script type="application/ld+json">${JSON.stringify(jobJsonLd(n, url))}</script>`,
    `<main><h1 class="job-title">${job.title}</h1><p class="company">${job.company}</p>
<p class="location">${job.city}, ${job.region}</p><div class="description">${escapeHtml(job.description)}</div></main>${extra}`,
  );
}

/** An empty root and a script that fetches the posting and builds it: nothing to see without a browser. */
export function scriptJobPage(n: number): string {
  return page(
    'Loading…',
    '',
    `<div id="root"></div><script>
fetch('/api/js/${n}').then((answer) => answer.json()).then((posting) => {
  const root = document.getElementById('root');
  root.innerHTML = '<main><h1 class="job-title"></h1><p class="company"></p><div class="description"></div></main>';
  root.querySelector('h1').textContent = posting.title;
  root.querySelector('.company').textContent = posting.hiringOrganization.name;
  root.querySelector('.description').innerHTML = posting.description;
  const data = document.createElement('script');
  data.type = 'application/ld+json';
  data.textContent = JSON.stringify(posting);
  document.head.append(data);
  document.title = posting.title;
});
</script>`,
  );
}

export function companyPage(n: number, url: string): string {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Organization',
    name: `Orchard ${n} Ltd`,
    url,
    description: `Grows ${n} kinds of apples.`,
    email: `hello@orchard-${n}.example`,
    telephone: '+1 217 555 0100',
    numberOfEmployees: { '@type': 'QuantitativeValue', minValue: 11, maxValue: 50 },
    address: { '@type': 'PostalAddress', addressLocality: 'Springfield', addressRegion: 'IL', addressCountry: 'US' },
  };
  return page(
    `Orchard ${n} Ltd`,
    `<meta property="og:site_name" content="Orchard ${n} Ltd"><meta name="description" content="Grows ${n} kinds of apples.">
<script type="application/ld+json">${JSON.stringify(data)}</script>`,
    `<main><h1>Orchard ${n} Ltd</h1><p>Grows ${n} kinds of apples.</p></main>`,
  );
}

export function profilePage(n: number, url: string): string {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Person',
    name: `Ada Appleseed ${n}`,
    jobTitle: 'Head Gardener',
    description: 'Plants trees wherever she goes.',
    url,
    worksFor: { '@type': 'Organization', name: `Orchard ${n} Ltd` },
    address: { '@type': 'PostalAddress', addressLocality: 'Springfield', addressRegion: 'IL', addressCountry: 'US' },
  };
  return page(
    `Ada Appleseed ${n} | Profile`,
    `<meta property="og:type" content="profile"><meta property="og:title" content="Ada Appleseed ${n} - Head Gardener">
<script type="application/ld+json">${JSON.stringify(data)}</script>`,
    `<main><h1>Ada Appleseed ${n}</h1><h2>Head Gardener</h2></main>`,
  );
}

export const blockedPage = (): string =>
  page(
    'Attention Required!',
    '',
    `<main><h1>Please verify you are a human</h1><p>Complete the security check to access this site.</p>
<div class="g-recaptcha" data-sitekey="none"></div></main>`,
  );

/** Every kind of dialog, on load and on leaving, around an ordinary posting. */
export const dialogsPage = (url: string): string =>
  jobPage(
    7,
    url,
    `<script>
addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });
alert('one'); confirm('two'); prompt('three'); print();
document.body.dataset.dialogs = 'done';
</script>`,
  );

export const popupsPage = (url: string): string =>
  jobPage(
    8,
    url,
    `<script>for (let n = 0; n < 1000; n += 1) window.open('/job/' + n, 'popup' + n, 'width=100,height=100');</script>`,
  );

export const spinPage = (): string => page('Spinning', '', '<p>before</p><script>for (;;) {}</script>');

export const page = (title: string, head: string, body: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>${head}</head>
<body>${body}</body></html>`;

const escapeHtml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
