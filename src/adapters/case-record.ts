import { Type } from '@sinclair/typebox';
import type { Extraction, FieldSource } from '../domain/adapter.js';
import type { CaseAdapter, CaseBook, CaseDescription, CaseField, CaseSigns } from '../domain/case-adapter.js';
import { type CaseIdentifier, parseCase } from '../domain/case-identifier.js';
import type { Page, PageVerdict } from '../domain/page.js';
import { visibleText } from './readers/dom-text.js';
import { type PageReader, readPage } from './readers/page-reader.js';
import { TRUST } from './resolve.js';
import { scriptSign } from './script-sign.js';

/** The field that, where it is described, must name the very case that was asked for. */
const OWN_NUMBER = 'case_number';

/** Where scripts are still to come, nothing is said yet: then a browser may look. */
const WAIT_MS = 5_000;

/**
 * The pages of a register of cases, as its description says: which page shows a record, which says that there is none,
 * which is broken. A page that is none of these is taken for broken: what is not understood must pass neither for a
 * record nor for its absence.
 */
export function createCaseAdapter(about: CaseDescription): CaseAdapter {
  const kindOf = (page: Page): CasePage => {
    const reader = readPage(page);
    return reader.kept(about, () => kindOfPage(reader, about, (one) => urlOf(about, one)));
  };
  return {
    targetType: `case_record:${about.name}`,
    version: '1',
    schema: schemaOf(about),
    keyField: Object.keys(about.fields)[0] ?? OWN_NUMBER,
    waitFor: { selectors: [...about.found.selectors, ...about.noRecord.selectors], timeoutMs: WAIT_MS },
    name: about.name,
    prefix: about.prefix,
    render: about.render,
    ...(about.form && { form: about.form }),
    noRecordStatuses: about.noRecord.statuses,
    urlOf: (one) => urlOf(about, one),
    judge: (page) => verdictOn(kindOf(page), page),
    extract(page) {
      const kind = kindOf(page);
      if (kind === 'found') return extractFields(readPage(page), about);
      return { fields: {}, provenance: {}, notes: [kind === 'no_record' ? 'no_record' : 'other_subject'] };
    },
    enough: (page) => kindOf(page) === 'found' || kindOf(page) === 'no_record',
    scriptSign: (page) => scriptSign(readPage(page)),
  };
}

export function createCaseBook(adapters: readonly CaseAdapter[]): CaseBook {
  const byName = new Map(adapters.map((adapter) => [adapter.name, adapter]));
  return { get: (name) => byName.get(name), names: () => [...byName.keys()] };
}

type CasePage = 'found' | 'no_record' | 'broken' | 'other_case' | 'unknown';

function kindOfPage(reader: PageReader, about: CaseDescription, urlOf: (one: CaseIdentifier) => string): CasePage {
  const { url, target: asked = url } = reader.page;
  if (shows(reader, about.broken)) return 'broken';
  if (shows(reader, about.noRecord)) return 'no_record';
  if (!shows(reader, about.found)) return 'unknown';
  const printed = about.fields[OWN_NUMBER] ? read(reader, about.fields[OWN_NUMBER]) : null;
  return printed === null || names(printed, about, (one) => urlOf(one) === asked) ? 'found' : 'other_case';
}

/** Also among other words, such as `File no. IMM-231-25`. What names no case at all does not name the right one. */
const names = (text: string, { prefix }: CaseDescription, isAsked: (one: CaseIdentifier) => boolean): boolean =>
  text.split(/[^\w-]+/).some((word) => {
    const one = parseCase(word);
    return one !== null && one.prefix === prefix && isAsked(one);
  });

const shows = (reader: PageReader, { selectors, texts }: CaseSigns): boolean =>
  selectors.some((selector) => reader.select(selector, reader.root, 1).length > 0) ||
  (texts.length > 0 && texts.some((text) => reader.text.toLowerCase().includes(text.toLowerCase())));

/** `null`: scripts may still bring it, or it is one of the walls that all sites have. */
function verdictOn(kind: CasePage, page: Page): PageVerdict | null {
  if (kind === 'found' || kind === 'no_record') return { kind: 'content' };
  if (kind === 'unknown') return page.renderedBy === 'http' && scriptSign(readPage(page)) !== null ? null : unknown;
  return { kind: 'refusal', code: 'error_page', sign: kind === 'broken' ? 'broken_case_page' : 'other_case' };
}

const unknown: PageVerdict = { kind: 'refusal', code: 'error_page', sign: 'unknown_case_page' };

function extractFields(reader: PageReader, { fields: described }: CaseDescription): Extraction {
  const fields: Record<string, unknown> = {};
  const provenance: Record<string, FieldSource> = {};
  for (const [name, field] of Object.entries(described)) {
    fields[name] = read(reader, field);
    if (fields[name] !== null) provenance[name] = { source: 'selector', confidence: TRUST.selector, agreeing: [] };
  }
  return { fields, provenance, notes: [] };
}

function read(reader: PageReader, { selector, attribute }: CaseField): string | null {
  const [element] = reader.select(selector, reader.root, 1);
  if (!element) return null;
  const text = attribute === null ? visibleText(element) : (element.attribs[attribute] ?? '');
  return text === '' ? null : text;
}

const schemaOf = ({ fields }: CaseDescription) =>
  Type.Object(
    Object.fromEntries(
      Object.keys(fields).map((name) => [
        name,
        Type.Union([Type.String({ minLength: 1, maxLength: 100_000 }), Type.Null()]),
      ]),
    ),
    { additionalProperties: false },
  );

function urlOf({ url }: Pick<CaseDescription, 'url'>, { id, prefix, number, year }: CaseIdentifier): string {
  const parts: Record<string, string> = {
    id,
    prefix,
    number: String(number),
    number5: String(number).padStart(5, '0'),
    year,
  };
  return url.replace(/\{(\w+)\}/g, (whole, name: string) => parts[name] ?? whole);
}
