import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';

/**
 * The records a caller receives, one schema per kind of page. Every field is nullable: a page that does not say it
 * gives null. `title` names the kind of a value; the normalizer cleans by it, and the API document shows it.
 */
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

// A name that fills pages is not a name but a sign of a misread page; validation then drops it.
const Name = Type.String({ minLength: 1, maxLength: 500 });
const LongText = Type.String({ minLength: 1, maxLength: 100_000 });
const CanonicalUrl = Type.String({ title: 'CanonicalUrl', pattern: '^https://', maxLength: 4096 });
const EmailAddress = Type.String({ title: 'EmailAddress', pattern: '^[^\\s@]+@[^\\s@]+$', maxLength: 254 });
const PhoneNumber = Type.String({ title: 'PhoneNumber', pattern: '\\d', minLength: 5, maxLength: 40 });

export const SALARY_PERIODS = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const;

export const NormalizedLocation = Type.Object(
  {
    city: nullable(Name),
    state_region: nullable(Name),
    country: nullable(Name),
    raw: nullable(Type.String({ maxLength: 1000, description: 'The place as the page prints it.' })),
  },
  { title: 'NormalizedLocation', additionalProperties: false },
);
export type NormalizedLocation = Static<typeof NormalizedLocation>;

/** What a printed salary says, in whole units of its currency: 75000 for `$75k`. */
export const Salary = Type.Object(
  {
    min: nullable(Type.Number({ minimum: 0 })),
    max: nullable(Type.Number({ minimum: 0 })),
    currency: nullable(Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.' })),
    period: nullable(
      Type.Union(
        SALARY_PERIODS.map((period) => Type.Literal(period)),
        { description: 'What one payment is for.' },
      ),
    ),
  },
  { title: 'Salary', additionalProperties: false },
);
export type Salary = Static<typeof Salary>;

const PageLink = Type.Object(
  { url: Type.String({ maxLength: 4096 }), text: nullable(Type.String({ maxLength: 1000 })) },
  { title: 'PageLink', additionalProperties: false },
);

export const LinkedInProfileResult = Type.Object(
  {
    name: nullable(Name),
    headline: nullable(Name),
    current_company: nullable(Name),
    location: nullable(NormalizedLocation),
    summary: nullable(LongText),
    profile_url: nullable(CanonicalUrl),
  },
  { title: 'LinkedInProfileResult', additionalProperties: false },
);
export type LinkedInProfileResult = Static<typeof LinkedInProfileResult>;

export const CompanyWebsiteResult = Type.Object(
  {
    company_name: nullable(Name),
    description: nullable(LongText),
    industry: nullable(Name),
    employee_count_range: nullable(Name),
    headquarters: nullable(NormalizedLocation),
    contact_email: nullable(EmailAddress),
    contact_phone: nullable(PhoneNumber),
    contact_phone_e164: nullable(
      Type.String({ pattern: '^\\+[1-9]\\d{4,14}$', description: 'The same number, where its country is certain.' }),
    ),
    website_url: nullable(CanonicalUrl),
  },
  { title: 'CompanyWebsiteResult', additionalProperties: false },
);
export type CompanyWebsiteResult = Static<typeof CompanyWebsiteResult>;

export const JobPostingResult = Type.Object(
  {
    job_title: nullable(Name),
    company_name: nullable(Name),
    location: nullable(NormalizedLocation),
    salary_range: nullable(Name),
    salary: nullable(Salary),
    description: nullable(LongText),
    posting_url: nullable(CanonicalUrl),
  },
  { title: 'JobPostingResult', additionalProperties: false },
);
export type JobPostingResult = Static<typeof JobPostingResult>;

const pageText = (maxLength: number, description: string) =>
  Type.String({ title: 'PageText', description, minLength: 1, maxLength });

/** A page of any kind. The last five are formats: null unless asked for. */
export const WebPageResult = Type.Object(
  {
    title: nullable(Name),
    description: nullable(LongText),
    canonical_url: nullable(CanonicalUrl),
    language: nullable(Type.String({ description: 'BCP 47, such as `en` or `pt-BR`.', maxLength: 35 })),
    published_at: nullable(
      Type.String({ description: 'As far as the page says: a date, or a date and time.', maxLength: 40 }),
    ),
    structured_data: nullable(
      Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        description: 'As found: JSON-LD, microdata and RDFa. About 200,000 characters; the rest is left out.',
      }),
    ),
    text: nullable(pageText(500_000, 'The main content. What lies beyond its limit is cut off.')),
    markdown: nullable(
      pageText(500_000, 'The main content as CommonMark with tables. Blocks that do not fit its limit are left out.'),
    ),
    links: nullable(
      Type.Array(PageLink, {
        description: 'In document order, each address once: the first 5,000, and 500,000 characters in all.',
        maxItems: 5_000,
      }),
    ),
    html: nullable(pageText(2_000_000, 'As received. What lies beyond its limit is cut off.')),
    screenshot: nullable(Type.String({ description: 'Path of the picture, for a GET with the service key.' })),
  },
  { title: 'WebPageResult', additionalProperties: false },
);
export type WebPageResult = Static<typeof WebPageResult>;

export type ValueKind = 'text' | 'url' | 'email' | 'phone' | 'location' | 'other';

const KIND_BY_TITLE: Record<string, ValueKind> = {
  CanonicalUrl: 'url',
  EmailAddress: 'email',
  PhoneNumber: 'phone',
  NormalizedLocation: 'location',
  PageText: 'other',
};

/** What kind of value a field of a record holds, read from its schema (the branch that is not null). */
export function valueKind(schema: TObject, field: string): ValueKind {
  const property = schema.properties[field];
  const branches: TSchema[] = property?.anyOf ?? [property];
  const branch = branches.find((candidate) => candidate?.type !== 'null');
  const named = KIND_BY_TITLE[branch?.title ?? ''];
  return named ?? (branch?.type === 'string' ? 'text' : 'other');
}
