/**
 * What all runners share. A runner is one contestant in a process of its own: it gets its options as JSON in its
 * first argument and reports every page it has read. The clock, and the parent's reading of the CPU, starts after
 * `warm` pages and stops after `pages` more, so that nobody's start and nobody's compiling is measured.
 */
import { performance } from 'node:perf_hooks';
import { factsAt, urlOf } from './facts.mjs';

export const runnerOptions = (defaults = {}) => ({
  ...defaults,
  ...JSON.parse(process.argv[2] ?? '{}'),
});

export const urlsOf = (options) => Array.from({ length: options.warm + options.pages }, (_, i) => urlOf(options, i));

/** Runs inside the page: what every contestant with a browser has to bring. */
export const factsInPage = () => ({
  title: document.title,
  data: document.querySelector('script[type="application/ld+json"]')?.textContent,
});

/** A script's page is read only when it is ready; nobody may take the empty shell for it. */
export const isScripted = (url) => url.includes('/js/');
export const READY = '#ready';

/** What is wrong with an answer that consists of a document's title and its JSON-LD; null if nothing is. */
export function faultOf(url, { title, data }) {
  const facts = factsAt(url);
  if (title !== facts.title) return `${url}: the title is ${JSON.stringify(title)}`;
  const identifier = readIdentifier(data);
  return identifier === facts.identifier ? null : `${url}: the identifier is ${JSON.stringify(identifier)}`;
}

function readIdentifier(data) {
  try {
    return JSON.parse(data).identifier;
  } catch {
    return null;
  }
}

/** Counts pages, and tells the parent when the measured part begins and how it went. */
export class Meter {
  #options;
  #extras;
  #count = 0;
  #failed = 0;
  #durations = [];
  #startedAt = 0;
  #cpuAtStart;

  /** `extras` may add figures of the runner's own: `begin()` before, `end(pages)` after the measured part. */
  constructor(options, extras = { begin() {}, end: () => ({}) }) {
    this.#options = options;
    this.#extras = extras;
  }

  page(durationMs, fault) {
    const { warm, pages } = this.#options;
    this.#count += 1;
    if (fault) this.#blame(fault);
    if (this.#count > warm && this.#count <= warm + pages) {
      this.#durations.push(durationMs);
      if (fault) this.#failed += 1;
    }
    if (this.#count === warm) this.#begin();
    if (this.#count === warm + pages) this.#end();
  }

  #blame(fault) {
    if (this.#failed < 3) process.stderr.write(`${fault}\n`);
  }

  #begin() {
    process.send?.({ event: 'begin' });
    this.#extras.begin();
    this.#cpuAtStart = process.cpuUsage();
    this.#startedAt = performance.now();
  }

  #end() {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    const { pages } = this.#options;
    const runnerCpuMs = (user + system) / 1000 / pages;
    const figures = {
      seconds,
      pagesPerSecond: pages / seconds,
      p50Ms: quantile(this.#durations, 0.5),
      p95Ms: quantile(this.#durations, 0.95),
      failed: this.#failed,
      nodeCpuMs: runnerCpuMs,
      ...this.#extras.end(pages, runnerCpuMs),
    };
    if (process.send) process.send({ event: 'end', figures });
    else console.log(figures);
  }
}

function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** Reads all pages, so many at a time. `read(url, slot)` answers the facts, `judge` what is wrong with them. */
export async function readAll(options, meter, read, judge = faultOf) {
  const waiting = urlsOf(options).values();
  const work = async (slot) => {
    for (const url of waiting) {
      const startedAt = performance.now();
      const fault = await read(url, slot).then(
        (answer) => judge(url, answer),
        (error) => `${url}: ${error.message}`,
      );
      meter.page(performance.now() - startedAt, fault);
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, (_, slot) => work(slot)));
}

/** The parent is gone: so are we. */
process.on('disconnect', () => setTimeout(() => process.exit(0), 2000).unref());

/** Some peers keep timers and sockets; what has been measured does not wait for them. */
export function leave() {
  if (process.connected) process.disconnect();
  setTimeout(() => process.exit(0), 50).unref();
}
