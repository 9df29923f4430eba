import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { type PageServer, startPageServer } from '../support/page-server.js';
import { type Browsers, startBrowsers, until } from './browser-kit.js';

let pages: PageServer;
let browsers: Browsers;
const drawn: number[] = [];

const MIN_DELAY_MS = 120;
const pace = { minDelayMs: MIN_DELAY_MS, maxDelayMs: 200 };

/** Tells us of every scroll, with its time; what is below is fetched when it comes into view. */
const lazyPage = (sections: number): string => `<!doctype html><h1>Top</h1>
  <style>html { scroll-behavior: smooth }</style>
  ${Array.from({ length: sections }, (_, n) => `<section data-n=${n} style="height: 700px">empty</section>`).join('')}
  <script>
    const seen = new IntersectionObserver((entries) => entries.filter((one) => one.isIntersecting).forEach(async ({ target }) => {
      seen.unobserve(target);
      target.textContent = await (await fetch('/part')).text();
    }));
    document.querySelectorAll('section').forEach((one) => seen.observe(one));
    addEventListener('scroll', () => fetch('/scrolled?' + performance.now()));
  </script>`;

/** Grows by a screen whenever its end is near, for ever. */
const ENDLESS = `<!doctype html><h1>Top</h1><div style="height: 900px"></div><script>
  addEventListener('scroll', () => { fetch('/scrolled?' + performance.now()); document.body.insertAdjacentHTML('beforeend', '<p style="height: 900px">more'); });
</script>`;

/** Grows and shows its end by itself, twenty times, as a chat does. */
const CHAT = `<!doctype html><h1>Top</h1><div style="height: 900px"></div><script>
  let told = 0;
  const tell = setInterval(() => {
    document.body.append(Object.assign(document.createElement('p'), { className: 'told-' + ++told, style: 'height: 99px' }));
    scrollTo(0, document.body.scrollHeight);
    if (told === 20) clearInterval(tell);
  }, 50);
</script>`;

beforeAll(async () => {
  pages = await startPageServer({
    '/lazy': lazyPage(6),
    '/short':
      '<!doctype html><h1>Top</h1><script>addEventListener("scroll", () => fetch("/scrolled?" + performance.now()))</script>',
    '/endless': ENDLESS,
    '/chat': CHAT,
    '/part': 'a part that came late',
    '/scrolled': '',
  });
  browsers = await startBrowsers({
    navigationTimeoutMs: 5000,
    random: () => {
      drawn.push(drawn.length);
      return 0.999;
    },
  });
});

afterEach(() => {
  pages.seen.length = 0;
  drawn.length = 0;
});

afterAll(async () => {
  await browsers.close();
  await pages.close();
});

const waitFor = (scrolls?: number) => ({
  selectors: ['h1'],
  timeoutMs: 2000,
  ...(scrolls !== undefined && { scrolls }),
});
/** When the page saw itself scrolled, by its own clock: how long a request takes says nothing about pauses. */
const scrolled = (): number[] =>
  pages.seen.filter(({ path }) => path === '/scrolled').map(({ search }) => Number(search.slice(1)));
const parts = (html: string): number => html.split('a part that came late').length - 1;

it('a page is scrolled screen by screen, so that what loads only then is there', async () => {
  const page = await browsers.get(pages.url('/lazy'), {
    waitFor: waitFor(10),
    // Time enough for a part to arrive, also where the machine has other things to do.
    pace: { minDelayMs: 400, maxDelayMs: 500 },
  });
  expect(parts(page.html)).toBe(6);
});

it('a page that nobody wants scrolled is not, and takes no pause', async () => {
  for (const scrolls of [undefined, 0]) {
    const page = await browsers.get(pages.url('/lazy'), { waitFor: waitFor(scrolls), pace });
    expect(page.html).toContain('>empty<');
  }
  expect(scrolled()).toEqual([]);
  expect(drawn).toEqual([]);
});

it('each scroll is followed by a pause of the wanted length', async () => {
  await browsers.get(pages.url('/endless'), { waitFor: waitFor(4), pace });
  await until(() => browsers.pool.stats().contexts_open === 0);
  expect(drawn).toHaveLength(4);
  const times = scrolled();
  expect(times).toHaveLength(4);
  // The page is told at its next frame, so a single pause may look a little shorter than it was.
  expect(times[3]! - times[0]!).toBeGreaterThanOrEqual(3 * MIN_DELAY_MS);
});

it('a page without end is scrolled as often as was wanted, and no more', async () => {
  await browsers.get(pages.url('/endless'), { waitFor: waitFor(2), pace });
  await until(() => browsers.pool.stats().contexts_open === 0);
  expect(scrolled()).toHaveLength(2);
});

it('a page that does not grow any more is left at its bottom', async () => {
  await browsers.get(pages.url('/lazy'), { waitFor: waitFor(500), pace: { minDelayMs: 60, maxDelayMs: 60 } });
  // Six sections of 700 pixels on screens of 850.
  expect(scrolled().length).toBeLessThan(8);
  await browsers.get(pages.url('/short'), { waitFor: waitFor(500), pace });
});

it('a page that still grows is not left, even at its bottom', async () => {
  const page = await browsers.get(pages.url('/chat'), { waitFor: waitFor(500), pace });
  expect(page.html).toContain('class="told-20"');
});

it('a visit that is over does not wait for its pauses', async () => {
  const reason = new GleanerError('task_timeout', 'The visit took too long.');
  const controller = new AbortController();
  const slow = { minDelayMs: 60_000, maxDelayMs: 60_000 };
  const failed = browsers.fault(pages.url('/endless'), { waitFor: waitFor(3), pace: slow }, controller.signal);
  await until(() => scrolled().length === 1);
  controller.abort(reason);
  expect(await failed).toBe(reason);
  await until(() => browsers.pool.stats().contexts_open === 0);
  expect(scrolled()).toHaveLength(1);
});

it('pauses come on top of the time a page may take', async () => {
  const long = { minDelayMs: 2600, maxDelayMs: 2600 };
  await browsers.get(pages.url('/endless'), { waitFor: { selectors: [], timeoutMs: 0, scrolls: 2 }, pace: long });
  expect(scrolled()).toHaveLength(2);
});
