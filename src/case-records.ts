import { parseDocument } from 'yaml';
import type { CaseDescription, CaseField, CaseSigns } from './domain/case-adapter.js';
import { CASE_PREFIX } from './domain/case-identifier.js';
import { RENDER_MODES, type RenderMode } from './domain/task.js';
import { didYouMean, type SettingFault, shown } from './settings-fault.js';
import { type FileChoice, isMap, readSettingsFile, yamlFaults } from './settings-file.js';

type Report = (path: string, value: unknown, wish: string) => void;

/** The registers of cases that the operator describes; never throws. */
export function readCaseRecords(choice: FileChoice): { cases: CaseDescription[]; faults: SettingFault[] } {
  const { text, faults } = readSettingsFile(choice);
  const parsed = parseCaseRecords(text, choice.path);
  return { cases: parsed.cases, faults: [...faults, ...parsed.faults] };
}

export function parseCaseRecords(text: string, source: string): { cases: CaseDescription[]; faults: SettingFault[] } {
  const faults: SettingFault[] = [];
  const report: Report = (path, value, wish) =>
    faults.push({ key: path === '' ? source : `${source}: ${path}`, value: shown(value), wish });
  const document = parseDocument(text);
  for (const fault of yamlFaults(document)) report('', fault, 'valid YAML');
  const top: unknown = document.errors.length > 0 ? {} : (document.toJS() ?? {});
  if (!isMap(top)) report('', top, 'a map with the key `case_records`');
  const entries = isMap(top) ? top : {};
  for (const key of Object.keys(entries).filter((name) => name !== 'case_records')) {
    report(key, entries[key], 'only the key `case_records` at the top');
  }
  const described = entries.case_records ?? {};
  if (!isMap(described)) report('case_records', described, 'a map of adapters by their names');
  const cases = Object.entries(isMap(described) ? described : {}).flatMap(([name, entry]) =>
    readOne(name, entry, report),
  );
  return { cases: faults.length > 0 ? [] : cases, faults };
}

const KEYS = ['prefix', 'url', 'form', 'render', 'found', 'no_record', 'broken', 'fields'];

function readOne(name: string, entry: unknown, report: Report): CaseDescription[] {
  const path = `case_records.${name}`;
  if (!/^[a-z][a-z0-9_]{0,59}$/.test(name)) report(path, name, 'a name of small letters, digits and `_`');
  if (!isMap(entry)) {
    report(path, entry, 'a description');
    return [];
  }
  for (const key of Object.keys(entry).filter((given) => !KEYS.includes(given))) {
    report(`${path}.${key}`, entry[key], `a key that exists${didYouMean(key, KEYS)}`);
  }
  const { prefix, render = 'auto' } = entry;
  if (typeof prefix !== 'string' || !CASE_PREFIX.test(prefix)) {
    report(`${path}.prefix`, prefix, 'the series of the cases in capital letters, such as IMM');
  }
  if (!RENDER_MODES.some((mode) => mode === render)) {
    report(`${path}.render`, render, `one of ${RENDER_MODES.join(', ')}`);
  }
  const found = readSigns(entry.found, `${path}.found`, report);
  const noRecord = readSigns(entry.no_record, `${path}.no_record`, report, ['statuses']);
  if (isEmpty(found)) report(`${path}.found`, entry.found, 'a selector or a text that only a record has');
  const statuses = readStatuses(entry.no_record, `${path}.no_record.statuses`, report);
  if (isEmpty(noRecord) && statuses.length === 0) {
    report(`${path}.no_record`, entry.no_record, 'a selector, a text or a status by which there is no record');
  }
  return [
    {
      name,
      prefix: String(prefix),
      ...readAddress(entry, path, report),
      render: render as RenderMode,
      found,
      noRecord: { ...noRecord, statuses },
      broken: readSigns(entry.broken, `${path}.broken`, report),
      fields: readFields(entry.fields, `${path}.fields`, report),
    },
  ];
}

type Address = Pick<CaseDescription, 'url' | 'form'>;

/** Where a case is: behind a URL, or behind a form. */
function readAddress(entry: Record<string, unknown>, path: string, report: Report): Address {
  const { url, form } = entry;
  if (form !== undefined && url !== undefined) report(`${path}.form`, form, 'only one of `url` and `form`');
  if (form !== undefined) return readForm(form, `${path}.form`, report);
  if (typeof url === 'string' && isTemplate(url)) return { url, form: null };
  report(`${path}.url`, url, 'an http(s) URL with {id}, or {number} and {year}, in its path or query');
  return { url: '', form: null };
}

/** As the address that its case would have with GET. */
function readForm(entry: unknown, path: string, report: Report): Address {
  const { action, method = 'post', fields, ...others } = isMap(entry) ? entry : {};
  for (const key of Object.keys(others)) {
    report(`${path}.${key}`, others[key], 'a key that exists: action, method, fields');
  }
  if (method !== 'get' && method !== 'post') report(`${path}.method`, method, 'get or post');
  const isPage = typeof action === 'string' && !/[{}#]/.test(action) && isWebAddress(action);
  if (!isPage) report(`${path}.action`, action, 'the http(s) URL that the form is sent to');
  const given = Object.entries(isMap(fields) ? fields : {});
  for (const [name, value] of given) {
    if (typeof value !== 'string' && typeof value !== 'number') report(`${path}.fields.${name}`, value, 'a text');
    if (isPage && new URL(action).searchParams.has(name))
      report(`${path}.fields.${name}`, name, 'not in `action`, too');
  }
  const query = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeAround(String(value))}`).join('&');
  const url = isPage ? `${action}${action.includes('?') ? '&' : '?'}${query}` : '';
  if (isPage && !isTemplate(url)) {
    report(`${path}.fields`, fields, 'the fields by their names, with {id}, or {number} and {year}, among them');
  }
  return { url, form: method === 'post' ? given.map(([name]) => name) : null };
}

/** All but the names in braces, which stand for something that needs none. */
const encodeAround = (template: string): string =>
  template.replace(
    /(\{\w*\})|([^{]+|\{)/g,
    (_, name?: string, text?: string) => name ?? encodeURIComponent(text ?? ''),
  );

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '';

/**
 * Names in the host would let a case choose whom we visit, and two cases behind one address could not be told apart.
 */
function isTemplate(text: string): boolean {
  const known = ['id', 'prefix', 'number', 'number5', 'year'];
  const names = [...text.matchAll(/\{(\w*)\}/g)].map(([, name]) => name ?? '');
  const filled = text.replace(/\{\w*\}/g, 'x');
  const hasNumber = names.includes('number') || names.includes('number5');
  const isWhole = names.includes('id') || (hasNumber && names.includes('year'));
  if (!isWhole || !names.every((name) => known.includes(name))) return false;
  return isWebAddress(filled) && !/^https?:\/\/[^/?#]*[{}]/i.test(text);
}

const isEmpty = ({ selectors, texts }: CaseSigns): boolean => selectors.length + texts.length === 0;

function readSigns(entry: unknown, path: string, report: Report, more: readonly string[] = []): CaseSigns {
  if (entry === undefined || entry === null) return { selectors: [], texts: [] };
  if (!isMap(entry)) {
    report(path, entry, 'a map with `selector` or `text`');
    return { selectors: [], texts: [] };
  }
  for (const key of Object.keys(entry).filter((name) => !['selector', 'text', ...more].includes(name))) {
    report(`${path}.${key}`, entry[key], 'a key that exists: selector, text');
  }
  return {
    selectors: readTexts(entry.selector, `${path}.selector`, report),
    texts: readTexts(entry.text, `${path}.text`, report),
  };
}

function readTexts(value: unknown, path: string, report: Report): string[] {
  const list = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const isFine = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && text.length <= 500;
  if (!list.every(isFine)) report(path, value, 'a text, or a list of texts');
  return list.filter(isFine);
}

function readStatuses(entry: unknown, path: string, report: Report): number[] {
  const statuses = isMap(entry) ? (entry.statuses ?? []) : [];
  const isFine = Array.isArray(statuses) && statuses.every((one) => Number.isInteger(one) && one >= 400 && one <= 499);
  if (!isFine) report(path, statuses, 'a list of statuses from 400 to 499');
  return isFine ? (statuses as number[]) : [];
}

function readFields(entry: unknown, path: string, report: Report): Record<string, CaseField> {
  if (!isMap(entry) || Object.keys(entry).length === 0) {
    report(path, entry, 'the fields of a record by their names');
    return {};
  }
  const fields: Record<string, CaseField> = {};
  for (const [name, value] of Object.entries(entry)) {
    const given = typeof value === 'string' ? { selector: value } : value;
    const { selector, attribute = null } = isMap(given) ? given : {};
    const isFine =
      /^[a-z][a-z0-9_]{0,59}$/.test(name) &&
      typeof selector === 'string' &&
      selector.trim() !== '' &&
      (attribute === null || typeof attribute === 'string');
    if (isFine) fields[name] = { selector, attribute: attribute as string | null };
    else report(`${path}.${name}`, value, 'a selector, or a map with `selector` and `attribute`');
  }
  return fields;
}
