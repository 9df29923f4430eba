import { describe, expect, it } from 'vitest';
import { jobPosting } from '../../src/adapters/job-posting.js';
import { readRecord } from '../../src/engine/reading.js';
import { jsonLd, pageOf, READING } from './page.js';

const read = (html: string, url = 'https://board.test/jobs/7') =>
  readRecord(jobPosting, pageOf(html, { url }), READING);
const record = (html: string, url?: string) => read(html, url).record;

const PROSE =
  '<p>You look after the locks between the upper and the lower basin, let the boats through and keep the gates greased. In winter you paint.</p>';
const posting = (facts: string, title = 'Lock Keeper | Board') =>
  `<title>${title}</title><h1>Lock Keeper</h1>${facts}<h2>Job description</h2>${PROSE}`;

describe('labels in many languages', () => {
  it.each([
    ['English', 'Employer: Canal Trust', 'Place of work: Bath, England', 'Salary: £24,000 a year'],
    ['German', 'Arbeitgeber: Canal Trust', 'Einsatzort: Bath, England', 'Gehalt: 24.000 £ pro Jahr'],
    ['French', 'Entreprise : Canal Trust', 'Lieu de travail : Bath, England', 'Salaire : 24 000 £ par an'],
    ['Spanish', 'Empresa: Canal Trust', 'Ubicación: Bath, England', 'Salario: £24,000 al año'],
    ['Italian', 'Azienda: Canal Trust', 'Sede di lavoro: Bath, England', 'Retribuzione: £24,000'],
    ['Portuguese', 'Empresa: Canal Trust', 'Local de trabalho: Bath, England', 'Salário: £24,000'],
    ['Dutch', 'Werkgever: Canal Trust', 'Standplaats: Bath, England', 'Salaris: £ 24.000'],
    ['Czech', 'Zaměstnavatel: Canal Trust', 'Místo výkonu práce: Bath, England', 'Mzda: £24 000'],
    ['Slovak', 'Spoločnosť: Canal Trust', 'Miesto práce: Bath, England', 'Ponúkaný plat: £24 000'],
    ['Polish', 'Pracodawca: Canal Trust', 'Miejsce pracy: Bath, England', 'Wynagrodzenie: £24 000'],
    ['Swedish', 'Arbetsgivare: Canal Trust', 'Arbetsort: Bath, England', 'Lön: £24 000'],
    ['Danish', 'Virksomhed: Canal Trust', 'Arbejdssted: Bath, England', 'Løn: £24.000'],
    ['Norwegian', 'Arbeidsgiver: Canal Trust', 'Arbeidssted: Bath, England', 'Lønn: £24 000'],
    ['Finnish', 'Työnantaja: Canal Trust', 'Sijainti: Bath, England', 'Palkka: £24 000'],
    ['Hungarian', 'Munkáltató: Canal Trust', 'Munkavégzés helye: Bath, England', 'Fizetés: £24 000'],
  ])('%s', (_, ...facts) => {
    const found = record(posting(facts.map((fact) => `<p>${fact}</p>`).join('')));
    expect(found).toMatchObject({
      job_title: 'Lock Keeper',
      company_name: 'Canal Trust',
      location: { city: 'Bath', state_region: 'England' },
      salary: { min: 24_000, max: 24_000, currency: 'GBP' },
    });
  });
});

describe('a salary', () => {
  it.each(['N/A', 'DOE', 'Open', 'Negotiable', 'Competitive', 'dohodou', 'Not specified', '401k', '-', 'Grade 7'])(
    'is not %s',
    (said) => {
      const { salary_range, salary } = record(posting(`<p>Salary: ${said}</p><p>Company: Canal Trust</p>`));
      expect([salary_range, salary]).toEqual([null, null]);
    },
  );

  it('may be a number alone where its label says what it is', () => {
    expect(record(posting('<dl><dt>Annual salary</dt><dd>42,000</dd></dl>'))).toMatchObject({
      salary_range: '42,000',
      salary: { min: 42_000, max: 42_000, currency: null },
    });
  });

  it('is in the dollars of the state the job is in', () => {
    const facts = '<p>Location: Plano, TX</p><p>Pay rate: $45.00 - $65.00 /hour</p>';
    expect(record(posting(facts)).salary).toEqual({ min: 45, max: 65, currency: 'USD', period: 'HOUR' });
  });

  it('in the title stays there, and is read from its label', () => {
    const html = '<title>Lock Keeper - $30,000 a year - Board</title><h1>Lock Keeper - $30,000 a year</h1>';
    const found = record(`${html}<p>Salary: $30,000</p>${PROSE}`);
    expect(found).toMatchObject({ job_title: 'Lock Keeper - $30,000 a year', salary_range: '$30,000' });
  });

  it('may be a range that the text tells once', () => {
    const told = posting('<p>The salary range for this role is $90,000 - $110,000 per year.</p>');
    expect(record(told).salary).toMatchObject({ min: 90_000, max: 110_000 });
    expect(record(`${told}<p>Later the salary is $120,000 - $130,000 per year.</p>`).salary).toBeNull();
  });
});

describe('an employer', () => {
  it('is never the site itself, unless a label says so', () => {
    const site = '<meta property="og:site_name" content="Lockworks">';
    const page = `${site}<a href="/">Lockworks</a>${posting('<p>Lockworks</p>', 'Lock Keeper - Lockworks')}`;
    expect(record(page).company_name).toBeNull();
    expect(record(`${page}<p>Employer: Lockworks</p>`).company_name).toBe('Lockworks');
  });

  it('is not what only stands before the heading and in the title', () => {
    expect(
      record(`<div>Jobs of the North</div>${posting('', 'Lock Keeper - Jobs of the North')}`).company_name,
    ).toBeNull();
  });

  it.each([
    ['the title and a line below the heading', '<p>Canal Trust</p>', 'Lock Keeper at Canal Trust'],
    [
      'a line that begins with it',
      '<p>Canal Trust - Bath, England</p>',
      'Lock Keeper job - Canal Trust - Bath | Board',
    ],
    ['a title that says who hires', '<p>at Canal Trust</p>', 'Canal Trust is hiring Lock Keeper in Bath | Board'],
    ['a link to its profile', '<p><a href="/companies/canal-trust">Canal Trust</a></p>', 'Lock Keeper'],
    ['the name of an element', '<p class="job-company">Canal Trust</p>', 'Lock Keeper'],
    ['a label with a link behind it', '<p>Company: Canal Trust (<a href="/x">view all jobs</a>)</p>', 'Lock Keeper'],
  ])('is known by %s', (_, facts, title) => {
    expect(record(posting(facts, title)).company_name).toBe('Canal Trust');
  });

  it('is not a link to do something', () => {
    expect(record(posting('<p><a href="/companies/7">View all jobs</a></p>')).company_name).toBeNull();
  });
});

describe('other jobs on the page', () => {
  const others = (heading: string) =>
    `<div><h3>${heading}</h3><ul>${['Miller', 'Baker']
      .map(
        (job) => `<li><a href="/${job}">${job}</a><p>Company: ${job} &amp; Sons</p><p>Location: Hull, England</p></li>`,
      )
      .join('')}</ul></div>`;

  it.each([
    'Similar jobs',
    'Jobs you may like',
    'Ähnliche Stellenangebote',
    'Podobné nabídky',
    'Vergelijkbare vacatures',
  ])('under %s say nothing about this one', (heading) => {
    for (const page of [posting('') + others(heading), others(heading) + posting('')]) {
      const found = read(page);
      expect(found.record).toMatchObject({ job_title: 'Lock Keeper', company_name: null, location: null });
      expect(found.record.description).not.toContain('Miller');
      expect(found.notes).toEqual([]);
    }
  });

  it('do not make a list of a page that has its own text', () => {
    const cards = ['a', 'b', 'c', 'd', 'e'].map((name) => `<li><a href="/${name}">${name} job</a><p>Hull</p></li>`);
    expect(read(`${posting('')}<ul>${cards.join('')}</ul>`)).toMatchObject({
      record: { job_title: 'Lock Keeper' },
      notes: [],
    });
  });
});

describe('a page that is not one job', () => {
  const cards = (count: number) =>
    Array.from(
      { length: count },
      (_, n) => `<div><h2><a href="/${n}">Job ${n}</a></h2><p>Firm ${n}</p><p>Hull</p></div>`,
    );
  const NOTHING = { job_title: null, company_name: null, location: null, salary: null, description: null };

  it.each([
    ['many cards', `<title>Work in Hull</title><h1>Work in Hull</h1>${cards(6).join('')}`],
    [
      'a counted list, whatever is written below',
      `<title>x</title><h1>214 jobs in Hull</h1>${cards(5).join('')}${PROSE.repeat(9)}`,
    ],
    [
      'several postings',
      jsonLd([
        { '@type': 'JobPosting', title: 'a' },
        { '@type': 'JobPosting', title: 'b' },
      ]),
    ],
  ])('is a list: %s', (_, html) => {
    expect(read(html)).toMatchObject({ record: NOTHING, notes: ['several_items'], quality: 'empty' });
  });

  it('is about something else', () => {
    const html = `${jsonLd({ '@type': 'Product', name: 'Lock' })}<title>Lock</title><h1>Lock</h1>${PROSE}`;
    expect(read(html)).toMatchObject({ record: NOTHING, notes: ['other_subject'] });
  });

  it('keeps its address', () => {
    expect(record(cards(6).join('')).posting_url).toBe('https://board.test/jobs/7');
  });
});

describe('a description', () => {
  it.each([
    ['under its heading', `<h3>About the role</h3>${PROSE}<h3>Contact</h3><p>Write to us.</p>`],
    [
      'in an element of that name',
      `<div class="x-job-description">${PROSE}<button>Apply</button></div><p>Other things.</p>`,
    ],
  ])('is read %s, and nothing behind it', (_, html) => {
    expect(record(`<title>Lock Keeper</title><h1>Lock Keeper</h1>${html}`).description).toBe(PROSE.slice(3, -4));
  });

  it('is the main text otherwise, without the labels', () => {
    const facts = '<table><tr><td>Company:</td><td>Canal Trust</td></tr></table>';
    const html = `<title>Lock Keeper</title><h1>Lock Keeper</h1>${facts}<div>${PROSE.repeat(4)}</div>`;
    expect(record(html).description).toMatch(/^You look after/);
  });

  it('is not the text of just any page', () => {
    const html = `<title>Locks</title><h1>Locks</h1>${PROSE.repeat(4)}`;
    expect(record(html, 'https://site.test/locks').description).toBeNull();
  });
});

describe('raw HTML', () => {
  it('is enough where the labels are in it', () => {
    const html = posting('<p>Company: Canal Trust</p><p>Location: Bath, England</p>', 'Canal Trust');
    expect(jobPosting.enough(pageOf(`${html}${PROSE}<script src="/x.js"></script>`))).toBe(true);
  });
});
