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
    description: nullable(LongText),
    posting_url: nullable(CanonicalUrl),
  },
  { title: 'JobPostingResult', additionalProperties: false },
);
export type JobPostingResult = Static<typeof JobPostingResult>;

export type ValueKind = 'text' | 'url' | 'email' | 'phone' | 'location' | 'other';

const KIND_BY_TITLE: Record<string, ValueKind> = {
  CanonicalUrl: 'url',
  EmailAddress: 'email',
  PhoneNumber: 'phone',
  NormalizedLocation: 'location',
};

/** What kind of value a field of a record holds, read from its schema (the branch that is not null). */
export function valueKind(schema: TObject, field: string): ValueKind {
  const property = schema.properties[field];
  const branches: TSchema[] = property?.anyOf ?? [property];
  const branch = branches.find((candidate) => candidate?.type !== 'null');
  const named = KIND_BY_TITLE[branch?.title ?? ''];
  return named ?? (branch?.type === 'string' ? 'text' : 'other');
}
