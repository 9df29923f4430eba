import type { Adapter, Extraction } from '../domain/adapter.js';
import { normalizeEmail, normalizePhone, phoneE164, sameEmail, samePhone } from '../domain/normalize/contact.js';
import { CompanyWebsiteResult } from '../domain/records.js';
import { seatOf } from './company-address.js';
import { countryOfPlace } from './company-country.js';
import { contactEmail } from './company-email.js';
import {
  contactPoint,
  EMPLOYEES,
  headquarters,
  INDUSTRY,
  labelled,
  ownWebsite,
  ownWords,
  withCity,
} from './company-facts.js';
import { nameCandidates, sameCompany } from './company-name.js';
import { contactPhone } from './company-phone.js';
import { oncePerPage } from './readers/once.js';
import { type PageReader, readPage } from './readers/page-reader.js';
import type { FoundPhone } from './readers/phones.js';
import { printQuantity } from './readers/quantity.js';
import { textOf, valuesOf } from './readers/thing.js';
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
import { scriptSign } from './script-sign.js';
import { siteOf, siteOrganization } from './site-owner.js';

/**
 * The website of a company, home page, "about" or "contact". The organisation in its structured data must be the site's
 * own: clients, partners and publishers of embedded things are described on such pages too. Most small companies have
 * no such data; theirs is what the page prints for people, and only where it can be nobody else's.
 */
export const companyWebsite: Adapter = {
  targetType: 'company_website',
  version: '2',
  schema: CompanyWebsiteResult,
  keyField: 'company_name',
  waitFor: {
    selectors: ['script[type="application/ld+json"]', 'meta[property="og:site_name"]', 'h1', 'footer'],
    timeoutMs: 3_000,
  },

  extract(page) {
    const reader = readPage(page);
    const subject = findCompany(reader);
    const { site, seat, email } = printedFacts(reader);
    const phone = contactPhone(reader, seat);
    const extraction = resolveFields({
      company_name: { candidates: companyNames(reader, subject), sameness: sameCompany },
      description: {
        candidates: [
          ...structured(subject, (company) => textOf(company, 'description')),
          says('meta', () => ownWords(reader.meta('description', 'og:description', 'twitter:description'))),
        ],
        sameness: 'never',
      },
      industry: {
        candidates: [
          ...structured(subject, (company) => textOf(company, 'industry')),
          says('label', () => labelled(reader, INDUSTRY)),
        ],
      },
      employee_count_range: {
        candidates: [
          ...structured(subject, (company) => printQuantity(valuesOf(company, 'numberOfEmployees'))),
          says('label', () => labelled(reader, EMPLOYEES, /^\D{0,12}\d/)),
        ],
      },
      headquarters: {
        candidates: [
          ...structured(subject, (company) => withCity(headquarters(company))),
          says('address', () => seat?.place),
          ...structured(subject, headquarters),
        ],
        sameness: 'never',
      },
      contact_email: {
        candidates: [
          ...structured(subject, (company) => normalizeEmail(contactPoint(company, 'email') ?? '')),
          ...(email ? [says(email.source, () => email.address)] : []),
        ],
        sameness: sameEmail,
      },
      contact_phone: {
        candidates: [
          ...structured(subject, (company) => normalizePhone(contactPoint(company, 'telephone') ?? '')),
          ...(phone ? [says(phone.source, () => phone.printed)] : []),
        ],
        sameness: samePhone,
      },
      contact_phone_e164: { candidates: [] },
      website_url: {
        candidates: [...structured(subject, (company) => ownWebsite(company, reader)), says('url', () => site.url)],
        sameness: 'never',
      },
    });
    return withDialling(extraction, phone);
  },

  enough(page) {
    const reader = readPage(page);
    const subject = findCompany(reader);
    // Many sites never print their name where it can be trusted; one with this much to read waits for no script.
    const key = (): unknown =>
      reader.opening.length > MUCH ||
      resolveField({ candidates: companyNames(reader, subject), sameness: sameCompany });
    return isFilled(reader, { structured: isDescribed(subject, (company) => textOf(company, 'name')), key });
  },

  scriptSign: (page) => scriptSign(readPage(page)),
};

const MUCH = 2_000;
const findCompany = (reader: PageReader) => findSubject(reader, (things) => siteOrganization(things, reader));

/** What the page prints for people and several fields need; `enough` and `extract` both ask. */
const printedFacts = oncePerPage((reader) => {
  const site = siteOf(reader);
  const seat = seatOf(reader, site);
  return { site, seat, email: contactEmail(reader, site, seat) };
});

function companyNames(reader: PageReader, subject: Subject): Candidate[] {
  const { site, seat, email } = printedFacts(reader);
  return [
    ...structured(subject, (company) => textOf(company, 'name', 'legalName')),
    ...nameCandidates(reader, { site, seat, email: email?.address ?? null }),
  ];
}

/** The number as it is dialled from abroad, once it is known which number and which country. */
function withDialling({ fields, provenance, notes }: Extraction, found: FoundPhone | null): Extraction {
  const { contact_phone: phone, headquarters: place } = fields;
  const from = provenance.contact_phone;
  if (typeof phone !== 'string' || !from) return { fields, provenance, notes };
  const linked = found?.dialled && samePhone(found.dialled, phone) ? phoneE164(found.dialled, null) : null;
  const dialled = linked ?? phoneE164(phone, countryOfPlace(place));
  if (dialled === null) return { fields, provenance, notes };
  return {
    fields: { ...fields, contact_phone_e164: dialled },
    provenance: { ...provenance, contact_phone_e164: from },
    notes,
  };
}
