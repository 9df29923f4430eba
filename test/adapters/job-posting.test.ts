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

const TEXT =
  '<p>You plan the routes of eleven boats, talk to the harbours and write the weekly report that nobody reads but everybody needs. You like lists.</p>' +
  '<p>There are thirty days of leave, a ticket for the ferry and a warm office close to the quay, with a view of the water and of the cranes.</p>';

describe('the title beside the name of the site', () => {
  it.each([
    ['a second main heading', '<h1><a href="/">Shoreboard</a></h1><h1>Route Planner</h1>'],
    ['the logo', '<header><h1 class="site-title">Shore of Work</h1></header><h2>Route Planner</h2>'],
    ['a heading with a place to break the word', '<h1>Route Plan\u200Bner</h1>'],
    ['words for those who hear the page', '<h2>Route Planner<span class="hid"> - job post</span></h2>'],
    ['a heading that only says what kind of page it is', '<h1>Job Details</h1><h2>Route Planner</h2>'],
  ])('%s', (_, heading) => {
    const html = `<title>Route Planner - Shore of Work</title>${heading}<p>Company: Skerry Lines</p>${TEXT}`;
    expect(record(html).job_title).toBe('Route Planner');
  });

  it('may be written with other dashes than in the title of the page', () => {
    const html = `<title>Planner - Night in Hull, England | Board</title><h2>Planner – Night</h2>${TEXT}<a href="#">Apply now</a>`;
    expect(record(html).job_title).toBe('Planner – Night');
  });

  it('stands right above the facts, where no heading is', () => {
    const facts = '<b>Company:</b> Skerry Lines<br><b>Location:</b> Tampa, FL<br>';
    expect(record(`<title>Ad 17</title><td>Route Planner<br>${facts}${TEXT}</td>`).job_title).toBe('Route Planner');
  });

  it('is not the name of the site alone', () => {
    const html = `<title>Shoreboard: View</title><h1><a href="/">Shoreboard</a></h1><p>Location: Tampa, FL</p>${TEXT}`;
    expect(record(html).job_title).toBeNull();
  });

  it('is the only one of the openings of an employer', () => {
    const opening = (name: string) =>
      `<h3>${name}</h3><p>Part time · Tampa, FL</p>${TEXT}<a href="mailto:x@y.test">Apply by mail</a>`;
    const careers = (openings: string) =>
      `<title>Careers | Skerry Lines</title><meta property="og:site_name" content="Skerry Lines"><h1>Careers</h1><h2>Open positions</h2>${openings}`;
    expect(record(careers(opening('Route Planner')), 'https://skerry.test/careers')).toMatchObject({
      job_title: 'Route Planner',
      company_name: 'Skerry Lines',
      location: { city: 'Tampa', state_region: 'FL' },
    });
    const two = record(careers(opening('Route Planner') + opening('Deckhand')), 'https://skerry.test/careers');
    expect(two.job_title).toBeNull();
  });
});

describe('an employer named in the title of the page', () => {
  const titled = (title: string, extra = '', url = 'https://board.test/view/7') =>
    record(`<title>${title}</title><h1>Route Planner</h1>${extra}${TEXT}<a href="#">Apply now</a>`, url).company_name;

  it.each([
    [
      'a sentence about it',
      titled('Route Planner | Skerry Lines', '<p>Skerry Lines runs nine ships between the islands.</p>'),
    ],
    ['a heading about it', titled('Skerry Lines - Route Planner', '<h2>About Skerry Lines</h2>')],
    ['its part of a shared address', titled('Skerry Lines - Route Planner', '', 'https://apply.test/skerry-lines/j/7')],
    ['its own careers site', titled('Route Planner - Skerry Lines', '', 'https://careers.skerrylines.test/7')],
    [
      'words that say so, and its kind',
      titled('Route Planner | Jobs bei Skerry Lines', '<p>Skerry Lines sucht dich und deine Freunde.</p>'),
    ],
    [
      'a link behind it',
      titled('Route Planner', '<h2 class="employer-name">Skerry Lines<a href="/c/1">About it</a></h2>'),
    ],
    ['who posted it', titled('Route Planner', '<p class="job-company">Posted by <a href="/r/1">Skerry Lines</a></p>')],
    [
      'a card of its own',
      titled(
        'Route Planner',
        '<div class="company"><p class="name"><a href="//s.test">Website</a> <b>Skerry Lines</b></p><p>Ships</p></div>',
      ),
    ],
    ['the headline of the page', titled('Skerry Lines is hiring a Route Planner in Hull, England')],
  ])('is believed for %s', (_, name) => {
    expect(name).toBe('Skerry Lines');
  });

  it.each([
    ['nothing else speaks of it', titled('Route Planner | Skerry Lines')],
    [
      'it lists the jobs of others',
      titled('Route Planner | Shore Jobs', '<p>Shore Jobs runs nine boards between the islands.</p>'),
    ],
    [
      'only the notes of the site speak of it',
      titled('Route Planner | Shoreboard', '<p>Shoreboard is not responsible for what others write.</p>'),
    ],
    ['it is a place', titled('Route Planner | Tampa, FL', '<h2>About Tampa, FL</h2>')],
  ])('is not believed where %s', (_, name) => {
    expect(name).toBeNull();
  });

  it('may be a registered name right under the title', () => {
    expect(titled('Ad 17', '<h3>Skerry Lines, Inc.</h3>')).toBeNull();
    expect(titled('Route Planner - Board', '<h3>Skerry Lines, Inc.</h3>')).toBe('Skerry Lines, Inc.');
  });
});

describe('a place under the title', () => {
  const under = (line: string, title = 'Route Planner | Board') =>
    record(`<title>${title}</title><h1>Route Planner</h1>${line}${TEXT}<a href="#">Apply now</a>`).location;

  it.each([
    ['<p>Full-time · Leipzig</p>', { city: 'Leipzig' }],
    ['<p><span>Full-time</span><span>Leipzig</span><span>Senior</span></p>', { city: 'Leipzig' }],
    ['<p>44 - Nantes - Voir la carte</p>', { city: 'Nantes' }],
    ['<p>Praha 5 – Smíchov</p>', { city: 'Praha' }],
    [
      '<div><h2>Primary Location</h2><span> - </span><span>DE-SN-Leipzig</span></div>',
      { city: 'Leipzig', country: 'DE' },
    ],
    ['<p><a href="/c/1">Skerry</a><span>Tampa, FL</span></p>', { city: 'Tampa', state_region: 'FL' }],
  ])('%s', (line, place) => {
    expect(under(line)).toMatchObject(place);
  });

  it('is, of several, the one the title of the page names', () => {
    const both = '<dl><dt>Locations</dt><dd>US-TX-Dallas | US-TX-Waco</dd></dl>';
    expect(under(both, 'Route Planner in Waco, Texas | Board')).toMatchObject({ city: 'Waco', state_region: 'TX' });
    expect(under(both)).toMatchObject({ city: null, raw: 'US-TX-Dallas | US-TX-Waco' });
  });
});

describe('a salary in the text', () => {
  const given = (text: string) => record(jsonLd({ '@type': 'JobPosting', title: 'Route Planner', description: text }));

  it('of structured data is taken where it is a range said once', () => {
    const once = 'We sail. The pay range for this position is $51,000.00 to $64,500.00 annually. We pay a bonus of 5%.';
    expect(given(once)).toMatchObject({ salary: { min: 51_000, max: 64_500, period: 'YEAR' } });
    expect(given(`${once} The pay range in Reno is $41,000 to $52,000 annually.`).salary).toBeNull();
  });

  it('may be cut into elements', () => {
    const spans =
      '<div class="pay-range"><span>$152,000</span><span class="divider">—</span><span>$189,500 USD</span></div>';
    expect(record(posting(spans)).salary).toMatchObject({ min: 152_000, max: 189_500, currency: 'USD' });
  });
});

describe('the state of a page', () => {
  const job = (name: string) => ({
    title: name,
    company: { name: `${name} Lines` },
    location: { city: 'Hull', country: 'UK' },
    description: TEXT,
    salary: { min: 30_000, max: 34_000, currency: 'GBP', period: 'year' },
  });
  const state = (props: unknown, title = 'Board') =>
    `<title>${title}</title><div id="__next"></div><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props })}</script>`;

  it('gives the one job that it holds', () => {
    expect(record(state({ job: job('Planner') }, 'Planner | Board'))).toMatchObject({
      job_title: 'Planner',
      company_name: 'Planner Lines',
      location: { city: 'Hull', country: 'UK' },
      salary: { min: 30_000, max: 34_000, currency: 'GBP', period: 'YEAR' },
    });
  });

  it('is no job where neither a heading nor a title of the page shows it', () => {
    expect(record(state({ job: job('Planner') })).job_title).toBeNull();
    expect(record(`${state({ job: job('Planner') })}<h1>Planner</h1>`).company_name).toBe('Planner Lines');
  });

  it('is no job where it is the words of the labels', () => {
    const i18n = { job_title: 'Job Title', company: 'Company', description: 'Description', location: 'Location' };
    const found = record(`${posting('<p>Employer: Canal Trust</p>')}${state({ i18n }, '')}`);
    expect(found).toMatchObject({ job_title: 'Lock Keeper', company_name: 'Canal Trust', location: null });
    expect(found.description).toContain('upper and the lower basin');
    const soup = `<title>Leek Soup | Ladle</title><h1>Leek Soup</h1><p>Cut the leeks.</p>${state({ i18n }, '')}`;
    expect(read(soup, 'https://ladle.test/leek').notes).toEqual(['other_subject']);
  });

  it('gives the one of several that the page is called after, and otherwise none', () => {
    const jobs = ['Planner', 'Deckhand', 'Cook'].map(job);
    expect(record(state({ jobs }, 'Deckhand at Deckhand Lines'))).toMatchObject({ job_title: 'Deckhand' });
    expect(record(state({ jobs }))).toMatchObject({ job_title: null, company_name: null, description: null });
  });
});

it('a page that nothing says is about a job gives no job', () => {
  const html = `<title>Our Ships | Skerry</title><h1>Our Ships</h1>${TEXT}`;
  const { record: found, notes } = read(html, 'https://skerry.test/ships');
  expect([found.job_title, found.description, notes]).toEqual([null, null, ['other_subject']]);
  expect(record(`${html}<a href="#">Apply now</a>`, 'https://skerry.test/ships').job_title).toBe('Our Ships');
});

describe('the name of an employer', () => {
  it.each([
    ['<p>Company: Canal Trust [view all jobs] [company profile]</p>', 'Canal Trust'],
    ['<table><tr><td>Employer</td><td>Canal Trust (view profile)</td></tr></table>', 'Canal Trust'],
    [
      '<h2><a href="/companyprofile/canal">Canal Trust</a> (<a href="/all">All jobs from this company</a>)</h2>',
      'Canal Trust',
    ],
    ['<p><a href="/e-canal">Canal Trust</a> <span>4,1 (38 reviews)</span></p>', 'Canal Trust'],
    ['<p><a href="/e-canal">Canal Trust</a><span>4.1</span><a href="#">(38 Reviews)</a></p>', 'Canal Trust'],
    ['<div data-automation="advertiser-name">Canal Trust</div>', 'Canal Trust'],
  ])('is the name alone: %s', (facts, name) => {
    expect(record(posting(`${facts}<p>Salary: £24,000</p>`)).company_name).toBe(name);
  });

  it.each([
    'Employer: Name withheld (Confidential)',
    'Entreprise : Entreprise confidentielle',
    'Company: Pune, Oslo',
    'Company: Oslo, Norway',
    'Company: £24,000 p.a.',
  ])('is not known from %s', (fact) => {
    expect(record(posting(`<p>${fact}</p>`)).company_name).toBeNull();
  });

  it('may be a town itself, or be called like one', () => {
    expect(record(posting('<p>Employer: City of Boston, MA</p>')).company_name).toBe('City of Boston, MA');
    expect(record(posting('<p>Employer: Phoenix</p>')).company_name).toBe('Phoenix');
  });

  it('that does not want to be named is not guessed', () => {
    const job = { '@type': 'JobPosting', title: 'Lock Keeper', hiringOrganization: { name: 'Confidentiel' } };
    expect(record(`${jsonLd(job)}${posting('<p>Company: Board Recruiters</p>')}`).company_name).toBeNull();
  });

  it('may stand right above the title, where its name says that it is one', () => {
    const html = `<title>Lock Keeper - Bath</title><main><span>Canal Works Ltd</span><h1>Lock Keeper</h1><h2>Job description</h2>${PROSE}</main>`;
    expect(record(html).company_name).toBe('Canal Works Ltd');
  });

  it('in the title is believed where the page sums itself up as its search', () => {
    const html = (said: string) =>
      `<meta name="description" content="${said}">${posting('', 'Lock Keeper - Canal & Quay')}`;
    expect(record(html('Canal & Quay is looking for a Lock Keeper.')).company_name).toBe('Canal & Quay');
    expect(record(html('Canal & Quay has 900 jobs for you.')).company_name).toBeNull();
  });
});

describe('a title', () => {
  it.each([
    ['Sr. Lock Paint Keeper (Spring refit)', 'Sr. Lock Paint Keeper (Spring refit)'],
    ['Lock Keeper Job in Bath | Board', 'Lock Keeper - £24,000 + boat'],
  ])('of the page %s is that of the job %s', (title, heading) => {
    const html = `<title>${title}</title><h1>${heading}</h1><a href="#">Apply now</a>${PROSE}`;
    expect(record(html).job_title).toBe(heading);
  });

  it('in a label counts more than the name of the site above it', () => {
    const html = `<title>View Job - Canal Connect</title><table><tr><td>Canal Connect</td></tr></table>
      <table><tr><td>Job Title:</td><td>Lock Keeper, 2nd Shift</td></tr><tr><td>City:</td><td>Bath</td></tr></table>`;
    expect(record(html).job_title).toBe('Lock Keeper, 2nd Shift');
  });
});

describe('a town that is not large', () => {
  it.each([
    ['<p>Location: Upper Wibbleton</p>', 'Upper Wibbleton'],
    ['<dl><dt>Arbeitsort</dt><dd>Kleinwibbel an der Aar</dd></dl>', 'Kleinwibbel an der Aar'],
    ['<h3><b>Kommun:</b> Wibbelby</h3>', 'Wibbelby'],
    ['<p>Miesto práce: Horná Vibľa (prevažne z kancelárie)</p>', 'Horná Vibľa'],
    ['<ul><li class="location icon"><i></i><span>Wibbleton</span></li></ul>', 'Wibbleton'],
    [
      '<table><tr><td>Location:</td><td>12 Lock Road<br>Wibbleton, TN 37421 (<a href="#">Map it!</a>)</td></tr></table>',
      'Wibbleton',
    ],
    ['<table><tr><td><b>Location</b></td><td>:</td><td>Wibbleton, CO</td></tr></table>', 'Wibbleton'],
  ])('is known by its label: %s', (fact, city) => {
    expect(record(posting(fact)).location).toMatchObject({ city });
  });

  it.each([
    'Head Office',
    'Nationwide',
    'North West',
    'Remote',
    'HQ',
    'Home Based',
    'Various',
    'Bundesweit',
    'the docks',
  ])('is not %s', (said) => {
    expect(record(posting(`<p>Location: ${said}</p>`)).location ?? {}).not.toHaveProperty('city', expect.any(String));
  });

  it('is none of two', () => {
    expect(record(posting('<p>Location: Oslo | Bergen</p>')).location).toBeNull();
    expect(record(posting('<p>Location: Oslo | Type: Full time</p>')).location).toMatchObject({ city: 'Oslo' });
  });

  it('among larger names is the one the title says', () => {
    const fact = '<div class="job-location">Wibbleton, Wibbleton, Lakes &amp; Hills WA</div>';
    const found = record(posting(fact, 'Lock Keeper Job in Wibbleton, Lakes & Hills WA | Board'));
    expect(found.location).toMatchObject({ city: 'Wibbleton', state_region: 'WA' });
  });
});

describe('the text about a job', () => {
  it('that structured data cuts short is taken from the page', () => {
    const job = {
      '@type': 'JobPosting',
      title: 'Lock Keeper',
      description: 'You look after the locks between the upper…',
    };
    expect(record(`${jsonLd(job)}${posting('')}`).description).toContain('In winter you paint');
  });

  it('is not the name of one', () => {
    const job = { '@type': 'JobPosting', title: 'Lock Keeper', description: 'Job description' };
    expect(record(`${jsonLd(job)}${posting('')}`).description).toContain('the locks between');
  });

  it('stands below headings that name more than it', () => {
    const html = posting('').replace('Job description', 'Job Duties and Skills');
    expect(record(html).description).toContain('the locks between');
  });
});

it('a range is read from its own sentence', () => {
  const said =
    '<p>The annual base salary range for this role is USD 71,200 to USD 88,900. Sign-on bonus of $3,000.</p>';
  expect(record(posting(said)).salary).toMatchObject({ min: 71_200, max: 88_900, currency: 'USD' });
});

describe('a list of jobs', () => {
  const NOTHING = { job_title: null, company_name: null, location: null, salary_range: null, salary: null };
  const JOBS = [
    'Night Baker',
    'Miller',
    'Oven Hand',
    'Carter',
    'Maltster',
    'Cooper',
    'Dyer',
    'Fuller',
    'Tanner',
    'Weaver',
  ];
  const FACTS = '<p>Location: Oslo, Norway</p><p>Salary: $20 - $25 an hour</p>';
  const linked = (name: string) => `<li><h2><a href="/${name}">${name}</a></h2>${FACTS}</li>`;
  const plain = (name: string) => `<div><h2>${name}</h2>${FACTS}</div>`;
  const bare = (name: string) => `<div><div class="name">${name}</div>${FACTS}</div>`;
  const list = (heading: string, cards: string[]) => `<title>Board</title><h1>${heading}</h1>${cards.join('')}`;
  const items = (of: (name: string) => object) =>
    jsonLd({
      '@type': 'ItemList',
      itemListElement: JOBS.slice(0, 3).map((name, at) => ({ '@type': 'ListItem', position: at + 1, ...of(name) })),
    });
  const nested = items((name) => ({ item: { '@type': 'JobPosting', title: name, url: `/${name}` } }));
  const addresses = items((name) => ({ url: `/${name}` }));

  it.each([
    ['ten cards with equal facts', list('Baker jobs in Oslo', JOBS.map(linked))],
    ['ten cards that are no links', list('Baker jobs in Oslo', JOBS.map(plain))],
    ['names that are no headings', list('Baker jobs in Oslo', JOBS.map(bare))],
    ['names that are no headings, under any heading', list('Work with flour', JOBS.map(bare))],
    ['two cards under the heading of a list', list('2 jobs', JOBS.slice(0, 2).map(linked))],
    ['what an employer offers', list('Jobs at Crumb', JOBS.slice(0, 3).map(linked))],
    ['a German list', list('Stellenangebote Bäcker Oslo', JOBS.slice(0, 3).map(linked))],
    ['a French list', list('Offres d’emploi boulanger à Lyon', JOBS.slice(0, 3).map(linked))],
    ['a Spanish list', list('Empleos de panadero en Vigo', JOBS.slice(0, 3).map(linked))],
    ['cards under any heading', list('Work with flour', JOBS.map(linked))],
    ['postings inside a list', `${nested}<title>Board</title><h1>Flour and water</h1>`],
    ['postings inside a list, and cards', `${nested}${list('Flour and water', JOBS.slice(0, 3).map(linked))}`],
    ['a list of addresses, and three cards', addresses + list('Flour and water', JOBS.slice(0, 3).map(linked))],
    [
      'two sections with facts of their own',
      list('Work with us', [plain('Night Baker'), plain('Miller').replace('Oslo', 'Bergen').replace('$20', '$22')]),
    ],
    ['three sections with equal facts', list('Work with us', JOBS.slice(0, 3).map(plain))],
  ])('is %s', (_, html) => {
    expect(read(html, 'https://board.test/all')).toMatchObject({
      record: { ...NOTHING, posting_url: 'https://board.test/all' },
      notes: ['several_items'],
    });
  });

  const single = posting('<p>Company: Canal Trust</p><p>Location: Bath, England</p><p>Salary: £24,000 a year</p>');
  const given = jsonLd({ '@type': 'JobPosting', title: 'Lock Keeper', url: '/jobs/7' });

  it.each([
    [
      'similar jobs below',
      `${single}<div><h2>Similar jobs</h2><ul>${JOBS.slice(0, 4).map(linked).join('')}</ul></div>`,
    ],
    ['other cards below', `${single}<ul>${JOBS.slice(0, 4).map(linked).join('')}</ul>`],
    ['a posting of its own beside a list', `${given}${nested}${single}`],
    ['a list of others in structured data alone', `${nested}${single}`],
    [
      'its facts printed twice',
      `${single}<h2>At a glance</h2><p>Company: Canal Trust</p><p>Location: Bath, England</p><p>Salary: £24,000 a year</p>`,
    ],
    [
      'its facts printed twice, below headings',
      posting('')
        .replace('<h2>', '<h3>Facts</h3><p>Company: Canal Trust</p><p>Location: Bath</p><h2>')
        .concat('<h3>At a glance</h3><p>Company: Canal Trust</p><p>Location: Bath, England</p>'),
    ],
    [
      'facts of its employer too',
      `${single}<h2>About Canal Trust</h2><p>Company: Canal Trust</p><p>Location: Leeds, England</p>`,
    ],
  ])('is not one job with %s', (_, html) => {
    const found = read(html);
    expect(found.notes).toEqual([]);
    expect(found.record).toMatchObject({ job_title: 'Lock Keeper', company_name: 'Canal Trust' });
    expect(found.record.location).toMatchObject({ city: 'Bath' });
  });
});

describe('places and pay of several sources', () => {
  const job = (over: object) => jsonLd({ '@type': 'JobPosting', title: 'Lock Keeper', ...over });
  const place = (addressLocality: string | null, addressCountry = 'NO') =>
    job({ jobLocation: { '@type': 'Place', address: { addressLocality, addressCountry } } });
  const pay = (minValue: number, maxValue: number) =>
    job({ baseSalary: { currency: 'GBP', value: { minValue, maxValue, unitText: 'YEAR' } } });
  const from = (html: string, field: string) => read(html).provenance[field];

  it('are surer where they agree', () => {
    expect(from(place('Oslo') + posting('<p>Location: Oslo, Norway</p>'), 'location')).toMatchObject({
      source: 'json-ld',
      confidence: 0.99,
      agreeing: ['label'],
    });
  });

  it('are less sure where they contradict each other', () => {
    const html = place('Oslo') + posting('<p>Location: Bergen, Norway</p>');
    expect(record(html).location).toMatchObject({ city: 'Oslo' });
    expect(from(html, 'location')?.confidence).toBeLessThan(0.6);
    const paid = pay(28_000, 32_000) + posting('<p>Salary: £40,000 – £45,000 a year</p>');
    expect(record(paid).salary).toMatchObject({ min: 28_000, max: 32_000 });
    expect(from(paid, 'salary')?.confidence).toBeLessThan(0.6);
  });

  it('do not contradict what they are silent about', () => {
    expect(from(place(null) + posting('<p>Location: Oslo, Norway</p>'), 'location')).toMatchObject({
      agreeing: ['label'],
    });
    expect(from(place(null) + posting('<p>Location: Bath, United Kingdom</p>'), 'location')).toMatchObject({
      agreeing: [],
    });
  });

  it.each([
    ['a label', '<p>Salary: £28,000 – £32,000 a year</p>', '£28,000 – £32,000 a year', 'label'],
    ['a line', `${PROSE.repeat(3)}<p>£28,000 – £32,000 a year</p>`, '£28,000 – £32,000 a year', 'text'],
    ['nothing', '', '28000–32000 GBP per YEAR', 'json-ld'],
    ['another amount', '<p>Salary: £40,000</p>', '28000–32000 GBP per YEAR', 'json-ld'],
  ])('are in the words of the page: %s', (_, facts, printed, source) => {
    const found = read(pay(28_000, 32_000) + posting(facts));
    expect(found.record).toMatchObject({
      salary_range: printed,
      salary: { min: 28_000, max: 32_000, currency: 'GBP', period: 'YEAR' },
    });
    expect(found.provenance.salary_range?.source).toBe(source);
    expect(found.provenance.salary?.source).toBe('json-ld');
    if (source !== 'json-ld') expect(found.provenance.salary_range?.agreeing).toContain('json-ld');
  });
});
