export const PAGES = {
  js: 'JS-rendered job page',
  job: 'Server-rendered job page, 30 KB',
  company: 'Server-rendered company page, 150 KB',
} as const;
export type PageKind = keyof typeof PAGES;

/** What ours has to be beside a peer: so many times its pages a second, or no more than so many times its memory. */
export interface Target {
  measure: 'pace' | 'memory';
  bound: number;
}

export interface Contestant {
  name: string;
  /** The file that runs it. */
  runner: string;
  options: { warm: number; pages: number; atOnce: number } & Record<string, unknown>;
  isOurs?: true;
  /** What ours has to be beside this one. */
  targets?: Target[];
}

export interface Extent {
  isQuick: boolean;
}

export function contestantsOf(kind: PageKind, { isQuick }: Extent): Contestant[] {
  if (kind === 'js') return scripted(isQuick);
  // The large page takes everybody about four times as long.
  return serverRendered((kind === 'company' ? 0.3 : 1) * (isQuick ? 0.25 : 1), isQuick);
}

const pace = (bound: number): Target => ({ measure: 'pace', bound });
const memory = (bound: number): Target => ({ measure: 'memory', bound });

/** Two a core: more gains nobody anything and costs memory. */
const BROWSER_PAGES = 4;

function scripted(isQuick: boolean): Contestant[] {
  const options = { warm: 8, pages: isQuick ? 12 : 24, atOnce: BROWSER_PAGES };
  // Each of the eight domains has to be met more than once before `auto` knows it.
  const learnt = { ...options, warm: 40 };
  return [
    ours('gleaner, `auto`, 4 in flight', { ...learnt, render: 'auto' }),
    ours('gleaner, `browser`, 4 in flight', { ...options, render: 'browser' }),
    ours('gleaner, `auto`, 12 in flight', { ...learnt, render: 'auto', atOnce: 12 }),
    {
      name: 'bare Playwright, context per URL',
      runner: 'run-playwright.mjs',
      options,
      targets: [pace(0.9)],
    },
    {
      name: 'the same, CDP blocking, no waiting for load',
      runner: 'run-playwright.mjs',
      options: { ...options, lean: true },
    },
    { name: 'bare CDP, context per URL, blocking', runner: 'run-cdp.mjs', options },
    { ...crawleeIsolated(options), targets: [pace(1.5), memory(1)] },
    crawleeDefaults(options),
    { name: 'puppeteer-cluster, CONTEXT', runner: 'run-puppeteer-cluster.mjs', options },
  ];
}

function serverRendered(share: number, isQuick: boolean): Contestant[] {
  // Everybody's code is compiled while it runs, and that of some takes a thousand pages until it is fast.
  const warm = Math.round(1_000 * share);
  const plain = { warm, pages: Math.round(1_600 * share) };
  const crawled = { warm, pages: Math.round(600 * share) };
  const browsed = { warm: 8, pages: isQuick ? 12 : 24, atOnce: BROWSER_PAGES };
  const cheerio = (name: string, tuned: boolean): Contestant => ({
    name,
    runner: 'run-crawlee.mjs',
    options: { ...crawled, atOnce: 8, crawler: 'cheerio', tuned },
    targets: [pace(3)],
  });
  const undici = (name: string, parser: string): Contestant => ({
    name,
    runner: 'run-http.mjs',
    options: { ...plain, atOnce: 8, parser },
  });
  return [
    ours('gleaner, `auto`, 32 in flight', { ...plain, render: 'auto', atOnce: 32 }),
    cheerio('Crawlee CheerioCrawler, tuned, 8 at once', true),
    cheerio('Crawlee CheerioCrawler, defaults, 8 at once', false),
    { ...crawleeIsolated(browsed), targets: [pace(50)] },
    { ...crawleeDefaults(browsed), targets: [pace(50)] },
    undici('undici + htmlparser2 SAX, 8 at once', 'sax'),
    undici('undici + cheerio, 8 at once', 'cheerio'),
  ];
}

const ours = (name: string, options: Contestant['options']): Contestant => ({
  name,
  runner: 'run-gleaner.mjs',
  options,
  isOurs: true,
});

const crawleeIsolated = (options: Contestant['options']): Contestant => ({
  name: 'Crawlee PlaywrightCrawler, incognito + fingerprints',
  runner: 'run-crawlee.mjs',
  options: { ...options, tuned: true, isolated: true },
});

const crawleeDefaults = (options: Contestant['options']): Contestant => ({
  name: 'Crawlee PlaywrightCrawler, all defaults (pages share a profile)',
  runner: 'run-crawlee.mjs',
  options,
});
