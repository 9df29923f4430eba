import type { Adapter } from '../domain/adapter.js';
import { CompanyWebsiteResult } from '../domain/records.js';
import { contactEmail, contactPhone } from './readers/contact-links.js';
import { type PageReader, readPage } from './readers/page-reader.js';
import { placeOf } from './readers/place.js';
import { printQuantity } from './readers/quantity.js';
import { type Thing, textOf, thingsOf, valuesOf } from './readers/thing.js';
import {
  type Candidate,
  findSubject,
  isDescribed,
  resolveField,
  resolveFields,
  type Subject,
  says,
  structured,
} from './resolve.js';
import { isFilled } from './script-shell.js';
import { siteName, siteOrganization } from './site-owner.js';

/**
 * The website of a company, home page or "about". The organisation in its structured data must be the site's own:
 * clients, partners and publishers of embedded things are described on such pages too.
 */
export const companyWebsite: Adapter = {
  targetType: 'company_website',
  version: '1',
  schema: CompanyWebsiteResult,
  keyField: 'company_name',
  waitFor: {
    selectors: ['script[type="application/ld+json"]', 'meta[property="og:site_name"]', 'h1', 'footer'],
    timeoutMs: 3_000,
  },

  extract(page) {
    const reader = readPage(page);
    const subject = findCompany(reader);
    return resolveFields({
      company_name: { candidates: nameCandidates(reader, subject) },
      description: {
        candidates: [
          ...structured(subject, (company) => textOf(company, 'description')),
          says('meta', () => reader.meta('description', 'og:description', 'twitter:description')),
        ],
        sameness: 'never',
      },
      industry: { candidates: structured(subject, (company) => textOf(company, 'industry')) },
      employee_count_range: {
        candidates: structured(subject, (company) => printQuantity(valuesOf(company, 'numberOfEmployees'))),
      },
      headquarters: { candidates: structured(subject, headquarters), sameness: 'never' },
      contact_email: {
        candidates: [
          ...structured(subject, (company) => contactPoint(company, 'email')),
          says('link', () => contactEmail(reader)),
        ],
        sameness: 'never',
      },
      contact_phone: {
        candidates: [
          ...structured(subject, (company) => contactPoint(company, 'telephone')),
          says('link', () => contactPhone(reader)),
        ],
        sameness: 'never',
      },
      contact_phone_e164: { candidates: [] },
      website_url: {
        candidates: [
          ...structured(subject, (company) => ownWebsite(company, reader)),
          says('url', () => reader.ownUrl),
        ],
        sameness: 'never',
      },
    });
  },

  enough(page) {
    const reader = readPage(page);
    const subject = findCompany(reader);
    const name = resolveField({ candidates: nameCandidates(reader, subject) });
    // Many sites never print their name where it can be trusted; one with this much to read waits for no script.
    const key = name ?? (reader.text.length > MUCH ? 'text' : null);
    return isFilled(reader, {
      structured: isDescribed(subject, (company) => textOf(company, 'name')),
      key,
    });
  },
};

const MUCH = 2_000;

const findCompany = (reader: PageReader) => findSubject(reader, (things) => siteOrganization(things, reader));

const nameCandidates = (reader: PageReader, subject: Subject): Candidate[] => [
  ...structured(subject, (company) => textOf(company, 'name', 'legalName')),
  ...siteName(reader),
];

/** One address, or none: of several offices none is known to be the head one. */
function headquarters(company: Thing) {
  const name = ['address', 'location'].find((property) => valuesOf(company, property).length === 1);
  return name === undefined ? null : placeOf(company, name);
}

const contactPoint = (company: Thing, name: string): string | null =>
  textOf(company, name) ??
  thingsOf(company, 'contactPoint')
    .map((point) => textOf(point, name))
    .find(Boolean) ??
  null;

function ownWebsite(company: Thing, reader: PageReader): string | null {
  const url = reader.absolute(textOf(company, 'url'));
  return url !== null && reader.isOnSite(url) ? url : null;
}
