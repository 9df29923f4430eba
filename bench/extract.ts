/**
 * What reading a page costs: judge, enough, extract and normalize, as a visit does, for every target type, beside
 * cheerio's bare `load` of the same page, which reads nothing. Rounds are interleaved, so that a busy machine is busy
 * for all. The CPU counts all threads, the collector's too; the wall clock counts each reading by itself, as whoever
 * waits for one. Pages are made here; a folder of saved pages may be measured instead.
 *
 *   npm run bench:extract [folder]
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { judgePage } from '../src/adapters/page-verdict.js';
import { parseHtml } from '../src/adapters/readers/dom.js';
import { createRegistry } from '../src/adapters/registry.js';
import type { Adapter, ReadingOptions } from '../src/domain/adapter.js';
import type { Page } from '../src/domain/page.js';
import { readRecord } from '../src/engine/reading.js';
import { decodeText } from '../src/fetching/charset.js';
import { articlePage, companyPage, jobPage } from './pages.js';

const ROUNDS = 9;
/** Longer than the clock's and the collector's whims. */
const READS_PER_ROUND = 20;
/** Before anything counts, so that all of it is compiled, as in a service that has run for a while. */
const WARM_UP_READS = 100;

const options: ReadingOptions = { now: Date.UTC(2026, 0, 1), formats: new Set(['text']) };

const pageOf = (html: string): Page => ({
  url: 'https://crumb.example/page',
  finalUrl: 'https://crumb.example/page',
  httpStatus: 200,
  headers: {},
  contentType: 'text/html',
  html,
  bytes: Buffer.byteLength(html),
  renderedBy: 'http',
  redirects: [],
});

/** The parse is kept with the page, so every reading gets a page of its own. */
function readFully(adapter: Adapter, html: string): void {
  const page = pageOf(html);
  judgePage(page);
  adapter.enough(page);
  readRecord(adapter, page, options);
}

type Way = [name: string, read: (html: string) => unknown];

function waysToRead(): Way[] {
  const registry = createRegistry();
  const adapters = registry.types().map((type) => registry.get(type) as Adapter);
  return [
    ['cheerio load', (html) => load(html)],
    ['our parse alone', (html) => parseHtml(html)],
    ['our verdict', (html) => judgePage(pageOf(html))],
    ...adapters.map((adapter): Way => [adapter.targetType, (html) => readFully(adapter, html)]),
  ];
}

const generated = (): [string, string[]][] => [
  ['job with JSON-LD', [jobPage(30_000)]],
  ['company without structured data', [companyPage(150_000)]],
  ['article', [articlePage(150_000)]],
];

function savedIn(folder: string): [string, string[]][] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.html?$/.test(path) && statSync(path).isFile());
  return [[`${files.length} saved pages`, files.map((path) => decodeText(readFileSync(path), null))]];
}

interface Measured {
  /** Milliseconds of CPU a page, once for each round: nothing here waits, and other work must not be counted. */
  cpu: number[];
  /** Milliseconds of every single reading. */
  wall: number[];
}

function measure(read: Way[1], pages: readonly string[], times: number, into: Measured): void {
  const begin = process.cpuUsage();
  for (let n = 0; n < times; n += 1) {
    for (const html of pages) {
      const start = performance.now();
      read(html);
      into.wall.push(performance.now() - start);
    }
  }
  const { user, system } = process.cpuUsage(begin);
  into.cpu.push((user + system) / 1_000 / (times * pages.length));
}

const nothing = (): Measured => ({ cpu: [], wall: [] });

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const [folder] = process.argv.slice(2);
for (const [name, pages] of folder === undefined ? generated() : savedIn(folder)) {
  const times = Math.max(1, Math.round(READS_PER_ROUND / pages.length));
  const ways = waysToRead().map(([way, read]) => ({ way, read, measured: nothing() }));
  const warmUp = Math.max(1, Math.round(WARM_UP_READS / pages.length));
  for (const { read } of ways) measure(read, pages, warmUp, nothing());
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { read, measured } of ways) measure(read, pages, times, measured);
  }
  const kilobytes = pages.reduce((sum, html) => sum + html.length, 0) / pages.length / 1_000;
  console.log(`\n${name}, ${kilobytes.toFixed(0)} KB a page, medians of ${ROUNDS} interleaved rounds\n`);
  console.log('| | CPU ms a page | pages/s | times cheerio load | best wall ms | median wall ms |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  const bare = median(ways[0]?.measured.cpu ?? []);
  for (const { way, measured } of ways) {
    const one = median(measured.cpu);
    const middle = median(measured.wall);
    const figures = [one.toFixed(2), (1_000 / one).toFixed(0), (one / bare).toFixed(2)];
    console.log(`| ${[way, ...figures, measured.wall[0]?.toFixed(2), middle.toFixed(2)].join(' | ')} |`);
  }
}
