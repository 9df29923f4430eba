import { describe, expect, it } from 'vitest';
import { createCaseAdapter } from '../../src/adapters/case-record.js';
import { judgePage } from '../../src/adapters/page-verdict.js';
import { registryWith } from '../../src/adapters/registry.js';
import { caseIdentifier } from '../../src/domain/case-identifier.js';
import type { Page } from '../../src/domain/page.js';
import { createReader } from '../../src/engine/reader.js';
import { brokenPage, COURT, noRecordPage, recordPage } from '../support/court.js';

const court = createCaseAdapter({ ...COURT, url: 'https://court.example/case/{id}' });
const reader = createReader({ adapters: registryWith([court]), judgePage });
const pageOf = (html: string, changes: Partial<Page> = {}): Page => ({
  url: 'https://court.example/case/IMM-7-25',
  finalUrl: 'https://court.example/case/IMM-7-25',
  httpStatus: 200,
  headers: {},
  contentType: 'text/html',
  html,
  bytes: html.length,
  renderedBy: 'http',
  redirects: [],
  ...changes,
});
const read = (html: string, mayEscalate = false, changes: Partial<Page> = {}) =>
  reader.read(
    pageOf(html, changes),
    { targetType: court.targetType, now: 0, formats: [], mayEscalate },
    new AbortController().signal,
  );

const numbered = (number: string): string => recordPage('IMM-7-25').replace('"number">IMM-7-25', `"number">${number}`);

describe('a described register of cases', () => {
  it('reads the fields of a record', async () => {
    const { reading } = await read(recordPage('IMM-7-25'));
    expect(reading).toMatchObject({
      record: { case_number: 'IMM-7-25', title: 'Re: the matter of IMM-7-25', filed_on: '2025-02-03' },
      quality: 'ok',
      notes: [],
    });
  });

  it('knows a page that says there is none, and takes it for an answer', async () => {
    const { verdict, reading } = await read(noRecordPage);
    expect(verdict).toEqual({ kind: 'content' });
    expect(reading).toMatchObject({ notes: ['no_record'], quality: 'empty' });
  });

  it.each([
    ['a broken page', brokenPage, 'broken_case_page'],
    ['the record of another case', recordPage('IMM-8-25'), 'other_case'],
    ['the record of another series', recordPage('T-7-25'), 'other_case'],
    ['the record of another case among other words', numbered('File no. IMM-8-25 (closed)'), 'other_case'],
    ['a record with a number that is none of a case', numbered('7/25'), 'other_case'],
    [
      'a page it does not understand',
      '<h1>Welcome</h1><p>Please choose a register from the list.</p>',
      'unknown_case_page',
    ],
  ])('takes %s neither for a record nor for its absence', async (_what, html, sign) => {
    expect((await read(html)).verdict).toEqual({ kind: 'refusal', code: 'error_page', sign });
  });

  it.each(['IMM-7-25', 'imm-0007-25', 'File no. IMM-7-25 (was T-9-24)', ''])(
    'takes a record that prints %j as its number for the one that was asked for',
    async (number) => {
      expect((await read(numbered(number))).verdict).toEqual({ kind: 'content' });
    },
  );

  it('knows the case that was asked for also where the visit was led elsewhere', async () => {
    const url = 'https://archive.example/p/4711';
    const led = { url, finalUrl: url, target: 'https://court.example/case/IMM-7-25' };
    expect((await read(recordPage('IMM-7-25'), false, led)).verdict).toEqual({ kind: 'content' });
    expect((await read(recordPage('IMM-8-25'), false, led)).verdict).toMatchObject({ sign: 'other_case' });
  });

  it('lets a browser look where scripts are still to bring the record', async () => {
    const { lack } = await read('<div id="root"></div><script src="/app.js"></script>', true);
    expect(lack).toMatchObject({ appearance: 'scripted' });
    expect((await read(recordPage('IMM-7-25'), true)).lack).toBeNull();
    expect((await read(noRecordPage, true)).lack).toBeNull();
  });

  it('says where each of its cases is', () => {
    const one = caseIdentifier('IMM', 231, '25');
    expect(court.urlOf(one)).toBe('https://court.example/case/IMM-231-25');
    const other = createCaseAdapter({ ...COURT, url: 'https://c.example/{prefix}/20{year}?no={number5}&n={number}' });
    expect(other.urlOf(one)).toBe('https://c.example/IMM/2025?no=00231&n=231');
  });

  it('is read like all kinds of pages, but is none that callers may name', () => {
    const registry = registryWith([court]);
    expect(registry.get('case_record:court')).toBe(court);
    expect(registry.types()).not.toContain('case_record:court');
  });
});
