import { describe, expect, it } from 'vitest';
import { jobPosting } from '../../src/adapters/job-posting.js';
import { linkedinProfile } from '../../src/adapters/linkedin-profile.js';
import { pageOf, READING } from './page.js';

const page = (title: string, thing: object | null) =>
  pageOf(`<!doctype html><html><head><title>${title} | Site</title>
    ${thing ? `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...thing })}</script>` : ''}
    </head><body><h1>${title}</h1><p>${'Some words about it. '.repeat(20)}</p></body></html>`);

describe('a page of another kind', () => {
  it.each([
    ['a job', page('Canal Engineer', { '@type': 'JobPosting', title: 'Canal Engineer' })],
    ['a company', page('Towpath Works', { '@type': 'Organization', name: 'Towpath Works' })],
    ['nothing in particular', page('Our opening hours', null)],
  ])('gives no person: %s', (_kind, html) => {
    expect(linkedinProfile.extract(html, READING).fields.name).toBeNull();
  });

  it.each([
    ['a person', page('Ada Merchant', { '@type': 'Person', name: 'Ada Merchant' })],
    ['a company', page('Towpath Works', { '@type': 'Organization', name: 'Towpath Works' })],
  ])('gives no job: %s', (_kind, html) => {
    expect(jobPosting.extract(html, READING).fields.job_title).toBeNull();
  });
});
