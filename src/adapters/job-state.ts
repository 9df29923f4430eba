import type { LocationParts } from '../domain/normalize/location.js';
import { knownLabel } from './job-labels.js';
import { comparable, readJobPage } from './job-page.js';
import { type Pay, readPay } from './job-salary.js';
import { isPartName } from './job-words.js';
import { statesNaming } from './readers/find-state.js';
import { oncePerPage } from './readers/once.js';
import type { PageReader } from './readers/page-reader.js';
import type { RawPlace } from './readers/place.js';
import { isA, isThing, type Thing, textOf, type Value, valuesOf } from './readers/thing.js';
import { JOB_TYPES } from './readers/vocabulary.js';
import { type Candidate, says } from './resolve.js';

/** The job as the state of a page's scripts has it. Names differ from site to site; these are the usual ones. */
export interface StatedJob {
  title: string | null;
  company: string | null;
  description: string | null;
  place: RawPlace | null;
  pay: Pay | null;
}

const TITLES = ['jobTitle', 'positionTitle', 'postingTitle', 'title'];
const COMPANIES = [
  'companyName',
  'employerName',
  'organizationName',
  'hiringOrganization',
  'hiringCompany',
  'company',
  'employer',
  'organization',
];
const DESCRIPTIONS = ['jobDescription', 'descriptionHtml', 'fullDescription', 'description', 'body', 'content'];
const PLACES = ['jobLocation', 'location', 'locations', 'workLocation', 'office', 'locationName'];
const MAX_STATES = 200;

/**
 * Asked only where structured data says nothing: the state of a page is large, and says the same.
 *
 * The one job of the state: the only one, or the only one that the page's heading or title names. A list has
 * none.
 */
export const statedJob = oncePerPage((reader): StatedJob | null => {
  const isGiven = [...reader.jsonLd, ...reader.microdata].some((thing) => isA(thing, JOB_TYPES));
  const job = isGiven ? null : findJob(reader);
  return (
    job && {
      title: textOf(job, ...TITLES),
      company: textOf(job, ...COMPANIES),
      description: descriptionIn(job),
      place: placeIn(job),
      pay: payIn(job),
    }
  );
});

export const stateCandidate = (reader: PageReader, field: keyof StatedJob): Candidate =>
  says('hydration', () => statedJob(reader)?.[field] ?? null);

function findJob(reader: PageReader): Thing | null {
  const jobs = statesNaming(reader.hydration, {
    needs: [TITLES, COMPANIES, [...DESCRIPTIONS, ...PLACES, 'city']],
  }).filter((job) => !isDictionary(job));
  if (jobs.length === 0 || jobs.length > MAX_STATES || !saysJob(reader, jobs[0])) return null;
  const names = [reader.heading, reader.meta('og:title'), reader.title].flatMap((text) => text ?? []).map(comparable);
  if (jobs.length === 1) return jobs.find((job) => isShown(job, [...names, ...headingsOf(reader)])) ?? null;
  const named = jobs.filter((job) => {
    const title = comparable(textOf(job, ...TITLES) ?? '');
    return (
      title.length > 2 &&
      names.some(
        (name) =>
          name === title || (/^ [-|@] | at /.test(name.slice(title.length).slice(0, 4)) && name.startsWith(title)),
      )
    );
  });
  return named.length === 1 ? (named[0] ?? null) : null;
}

const MAX_HEADINGS = 30;
const headingsOf = ({ headings }: PageReader): string[] =>
  headings.slice(0, MAX_HEADINGS).map((heading) => comparable(heading));

/** State holds much that is not on the page. What the page is about, it says in a heading or in its title. */
function isShown(job: Thing, names: readonly string[]): boolean {
  const title = comparable(textOf(job, ...TITLES) ?? '');
  return title.length > 2 && names.some((name) => holdsApart(name, title));
}

function holdsApart(name: string, title: string): boolean {
  const at = name.indexOf(title);
  if (at === -1) return false;
  const [before, after] = [name.slice(0, at), name.slice(at + title.length)];
  return !/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after);
}

/** `{ title: 'Job Title', company: 'Company' }` are the words of the page's labels, and no job. */
const isDictionary = (job: Thing): boolean =>
  [textOf(job, ...TITLES), textOf(job, ...COMPANIES)].some(
    (text) => text !== null && text.length < 60 && (knownLabel(text) !== undefined || isPartName(text)),
  );

/** A title, a company and a text may be anything; something must say that it is a job. */
const saysJob = (reader: PageReader, job: Thing | undefined): boolean =>
  job?.types.some((type) => /job|vacanc|posting|position/i.test(type)) === true ||
  [...(job?.props.keys() ?? [])].some((name) => /job|salary|employment|vacancy|applyUrl|remote/i.test(name)) ||
  readJobPage(reader).hasSigns();

const MIN_DESCRIPTION = 60;

/** A few words are the name of a part of the page, or a teaser. */
function descriptionIn(job: Thing): string | null {
  const text = textOf(job, ...DESCRIPTIONS);
  return text !== null && text.length >= MIN_DESCRIPTION ? text : null;
}

function placeIn(job: Thing): RawPlace | null {
  for (const name of PLACES) {
    const places = valuesOf(job, name)
      .slice(0, 6)
      .flatMap((value) => onePlace(value) ?? []);
    if (places.length > 5) return null;
    if (places.length > 1) return places.map(printed).join('; ');
    if (places[0] !== undefined) return places[0];
  }
  return onePlace(job);
}

function onePlace(value: Value): RawPlace | null {
  if (!isThing(value)) return value.trim() === '' ? null : value;
  const inner = valuesOf(value, 'address').find(isThing) ?? value;
  const parts: LocationParts = {
    city: textOf(inner, 'city', 'cityName', 'addressLocality', 'town', 'locality'),
    state_region: textOf(inner, 'state', 'stateCode', 'addressRegion', 'region', 'province'),
    country: textOf(inner, 'country', 'countryName', 'addressCountry', 'countryCode'),
  };
  if (parts.city !== null) return parts;
  return textOf(
    value,
    'label',
    'displayName',
    'formattedAddress',
    ...(isThing(value) && value.props.has('title') ? [] : ['name']),
  );
}

const printed = (place: RawPlace): string =>
  typeof place === 'string' ? place : [place.city, place.state_region, place.country].filter(Boolean).join(', ');

const PAYS = ['salaryRange', 'salary', 'baseSalary', 'compensation', 'payRange', 'salaryText', 'pay'];

function payIn(job: Thing): Pay | null {
  for (const value of PAYS.flatMap((name) => valuesOf(job, name))) {
    const pay = isThing(value) ? payOf(value) : readPay(value.slice(0, 200));
    if (pay !== null) return pay;
  }
  return null;
}

function payOf(amount: Thing): Pay | null {
  const min = textOf(amount, 'min', 'minimum', 'minValue', 'from', 'minAmount', 'low');
  const max = textOf(amount, 'max', 'maximum', 'maxValue', 'to', 'maxAmount', 'high');
  const currency = textOf(amount, 'currency', 'currencyCode');
  const period = textOf(amount, 'period', 'unitText', 'interval', 'unit', 'frequency');
  if (currency === null || (min === null && max === null)) return null;
  const range = min === null ? `up to ${max}` : max === null ? `from ${min}` : `${min}–${max}`;
  const printedPay = [range, currency, period === null ? null : `per ${period}`].filter(Boolean).join(' ');
  const pay = readPay(printedPay, { currency, period });
  return pay && { ...pay, isComposed: true };
}
