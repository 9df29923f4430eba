import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.js';
import { extractOffline } from '../../src/offline.js';
import { tempDir } from '../support/temp-dir.js';

describe('gleaner price', () => {
  let folder: ReturnType<typeof tempDir>;
  let out: string[];
  let complaints: string[];
  beforeEach(() => {
    folder = tempDir('cli-price');
    out = [];
    complaints = [];
  });
  afterEach(() => folder.remove());

  const run = (...args: string[]): Promise<number> =>
    runCli(['node', 'gleaner', 'price', ...args], {
      version: '1.2.3',
      targetTypes: [],
      extractOffline,
      openHost: () => Promise.reject(new Error('No service is needed here.')),
      now: 0,
      print: (line) => out.push(line),
      complain: (line) => complaints.push(line),
    });
  const cases = (...lines: string[]): string => {
    const path = join(folder.path, 'prices.ndjson');
    writeFileSync(path, lines.join('\n'));
    return path;
  };

  it('says what a price means', async () => {
    expect(await run('1.299,00 €')).toBe(0);
    expect(out).toEqual(['amount: 1299', 'currency: EUR', 'printed as: €', 'smallest units: 129900 (2 decimals)']);
  });

  it('says what is not certain, and takes what the caller knows', async () => {
    await run('$5');
    expect(out).toEqual(['amount: 5', 'currency: not certain', 'printed as: $']);
    out = [];
    await run('$5', '--country', 'CA');
    expect(out).toContain('currency: CAD');
    out = [];
    await run('15.08.2017');
    expect(out).toEqual(['amount: not one that is certain', 'currency: none printed']);
  });

  it('takes a currency in any case, and complains of one it does not know', async () => {
    expect(await run('5', '--currency', 'eur')).toBe(0);
    expect(out).toContain('currency: EUR');
    out = [];
    expect(await run('5', '--currency', 'zzz')).toBe(2);
    expect(out).toEqual([]);
    expect(complaints.join()).toMatch(/--currency.*'zzz' is invalid/);
  });

  it('reads a list, one line each, in its order', async () => {
    const list = cases(
      JSON.stringify({ id: 'a', text: '12,50', currency_hint: 'Pris NOK 12,50' }),
      '',
      JSON.stringify({ id: 'b', text: '1.234', decimal_separator: '.' }),
      JSON.stringify({ id: 'c', text: '1.234', digit_group_separator: '.' }),
      JSON.stringify({ id: 'd', text: null, currency_hint: '€' }),
    );
    expect(await run('--cases', list)).toBe(0);
    expect(out.map((line) => JSON.parse(line))).toEqual([
      { id: 'a', amount: '12.5', currency: 'NOK', symbol: 'NOK', minor: 1250 },
      { id: 'b', amount: '1.234', currency: null, symbol: null, minor: null },
      { id: 'c', amount: '1234', currency: null, symbol: null, minor: null },
      { id: 'd', amount: null, currency: 'EUR', symbol: '€', minor: null },
    ]);
  });

  it('names the line of a list that it cannot read, and reads the others', async () => {
    expect(await run('--cases', cases('{', '{"id":1,"text":5}', '{"id":2,"text":"5 €"}'))).toBe(1);
    expect(out).toHaveLength(1);
    expect(complaints).toEqual([
      expect.stringMatching(/ndjson:1: /),
      expect.stringMatching(/ndjson:2: "text" must be a string or null\.$/),
    ]);
  });

  it('asks for a price where none is given', async () => {
    expect(await run()).toBe(2);
    expect(complaints.join()).toContain('name a price');
  });
});
