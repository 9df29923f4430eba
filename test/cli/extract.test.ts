import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliParts, runCli } from '../../src/cli/program.js';
import { extractOffline, targetTypes } from '../../src/offline.js';
import { tempDir } from '../support/temp-dir.js';

const JOB = `<!doctype html><title>Cooper – Barrel Works</title><script type="application/ld+json">
{"@type":"JobPosting","title":"Cooper","hiringOrganization":{"name":"Barrel Works"}}</script><h1>Cooper</h1>`;
const LOGIN = `<title>Just a moment...</title><script>window._cf_chl_opt={}</script>Checking your browser`;

describe('gleaner extract', () => {
  let folder: ReturnType<typeof tempDir>;
  let out: string[];
  let complaints: string[];
  beforeEach(() => {
    folder = tempDir('cli');
    out = [];
    complaints = [];
  });
  afterEach(() => folder.remove());

  const run = (...args: string[]): Promise<number> => {
    const parts: CliParts = {
      version: '1.2.3',
      targetTypes: targetTypes(),
      extractOffline,
      openHost: () => Promise.reject(new Error('No service is needed here.')),
      now: Date.UTC(2026, 0, 1),
      print: (line) => out.push(line),
      complain: (line) => complaints.push(line),
    };
    return runCli(['node', 'gleaner', ...args], parts);
  };
  const file = (name: string, text: string | Buffer): string => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  const cases = (...lines: unknown[]): string =>
    file('cases.ndjson', lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));

  it('reads a list of pages, one line each, in their order', async () => {
    const list = cases(
      { page: 'a', file: file('a.html', JOB), url: 'https://barrel.test/jobs/1', target_type: 'job_posting' },
      '',
      { page: 'b', file: file('b.html', LOGIN), url: 'https://barrel.test/', target_type: 'job_posting' },
      { page: 'c', file: file('c.html', ''), url: null, target_type: 'company_website' },
    );
    expect(await run('extract', '--cases', list)).toBe(0);
    const answers = out.map((line) => JSON.parse(line));
    expect(answers.map(({ page, status }) => [page, status])).toEqual([
      ['a', 'ok'],
      ['b', 'blocked'],
      ['c', 'empty'],
    ]);
    expect(answers[0].record).toMatchObject({
      job_title: 'Cooper',
      company_name: 'Barrel Works',
      location: null,
      posting_url: 'https://barrel.test/jobs/1',
    });
    expect(answers[1].record).toBeNull();
    expect(complaints).toEqual([]);
  });

  it('names the line of a list that it cannot read, and reads the others', async () => {
    const good = { page: 'a', file: file('a.html', JOB), target_type: 'job_posting' };
    const list = cases(
      '{"page": ',
      { page: 1 },
      { ...good, url: 'nowhere' },
      { ...good, file: join(folder.path, 'no') },
      good,
    );
    expect(await run('extract', '--cases', list)).toBe(1);
    expect(out.map((line) => JSON.parse(line).status)).toEqual(['failed', 'failed', 'failed', 'failed', 'ok']);
    expect(complaints.map((line) => line.replace(/^.*ndjson:/, '').slice(0, 24))).toEqual([
      expect.stringMatching(/^1: /),
      '2: "file" must name a fi',
      '3: "url" must be an abso',
      expect.stringMatching(/^4: ENOENT/),
    ]);
  });

  it('says of a kind it does not know that it failed', async () => {
    await run('extract', '--cases', cases({ page: 'a', file: file('a.html', JOB), target_type: 'blog' }));
    expect(JSON.parse(out[0] ?? '')).toEqual({ page: 'a', status: 'failed', record: null });
  });

  it('shows one page to people, with where each value came from', async () => {
    const code = await run('extract', '--type', 'job_posting', '--url', 'https://barrel.test/', file('a.html', JOB));
    expect(code).toBe(0);
    expect(out[0]).toBe('status: ok');
    expect(out.join('\n')).toMatch(/^job_title: Cooper\n {4}json-ld \(0\.\d+/m);
    expect(out).toContain('location: null');
  });

  it('shows why there is no record', async () => {
    await run('extract', '--type', 'job_posting', file('b.html', LOGIN));
    expect(out[0]).toMatch(/^status: blocked \(blocked_page: [a-z_]+\)$/);
  });

  it('brings the formats of a web page that are asked for', async () => {
    const page = file('page.html', '<title>Casks</title><h1>Casks</h1><p>All about <b>casks</b> and barrels.</p>');
    expect(await run('extract', '--type', 'web_page', '--formats', 'markdown,links', page)).toBe(0);
    expect(out.join('\n')).toContain('markdown: # Casks\n\nAll about **casks** and barrels.');
    expect(out).toContain('text: null');
  });

  it('does not take the place where an address should be for one', async () => {
    await run('extract', '--type', 'job_posting', file('a.html', JOB));
    expect(out).toContain('posting_url: null');
  });

  it.each([
    [['extract'], /name a page/],
    [['extract', 'x.html'], /--type is needed/],
    [['extract', 'x.html', '--type', 'blog'], /job_posting/],
    [
      ['extract', 'x.html', '--type', 'job_posting', '--url', 'nowhere'],
      /--url must be an absolute http or https URL: nowhere/,
    ],
    [['extract', 'x.html', '--type', 'job_posting', '--url', 'about:blank'], /--url must be .* URL: about:blank/],
    [['extract', 'x.html', '--type', 'job_posting', '--url', 'file:///x.html'], /--url must be .* URL: file:/],
    [['extract', 'x.html', '--type', 'web_page', '--formats', 'text,pdf'], /"pdf" is none of text/],
    [['harvest'], /unknown command/],
  ])('refuses %j with a word on what is wrong', async (args, words) => {
    expect(await run(...args)).toBe(2);
    expect(complaints.join('\n')).toMatch(words);
    expect(out).toEqual([]);
  });

  it('ends with 1 where a file cannot be read', async () => {
    expect(await run('extract', '--type', 'job_posting', join(folder.path, 'none.html'))).toBe(1);
    expect(complaints.join()).toContain('ENOENT');
  });

  it('reads bytes as the service does', async () => {
    const bytes = Buffer.concat([
      Buffer.from('<meta charset="windows-1252"><title>x</title><h1>Caf'),
      Buffer.from([0xe9]),
      Buffer.from(' hand</h1><script type="application/ld+json">{"@type":"JobPosting","title":"Caf'),
      Buffer.from([0xe9]),
      Buffer.from(' hand"}</script>'),
    ]);
    await run('extract', '--type', 'job_posting', file('latin.html', bytes));
    expect(out.join('\n')).toContain('job_title: Café hand');
  });
});
