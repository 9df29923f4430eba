import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { Context } from '../../src/fetching/browser-context.js';
import { type BrowserSlot, createBrowserPool } from '../../src/fetching/browser-pool.js';
import type { LaunchedBrowser } from '../../src/fetching/chromium.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';

/** A browser with nothing behind it, that counts: a hundred runs with Chromium would take an hour. */
class PaperBrowser implements LaunchedBrowser {
  readonly version = '156.0';
  readonly tempDir = '';
  readonly gone: Promise<void>;
  served = 0;
  held = 0;
  closed = 0;
  #leave = (): void => {};

  constructor(readonly pid: number) {
    this.gone = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  async newContext(): Promise<Context> {
    return { close: async () => {} } as Context;
  }

  async answers(): Promise<void> {}

  async close(): Promise<void> {
    this.closed++;
    this.#leave();
  }

  kill(): Promise<void> {
    return this.close();
  }
}

const setting = fc.record({
  pageLimit: fc.integer({ min: 1, max: 6 }),
  contextsPerBrowser: fc.integer({ min: 1, max: 4 }),
  size: fc.integer({ min: 1, max: 5 }),
  spare: fc.integer({ min: 0, max: 5 }),
});

/** A number below zero takes a slot; any other gives back one of those held. */
const moves = fc.array(fc.integer({ min: -6, max: 5 }), { minLength: 1, maxLength: 40 });

it('Property 12: a browser that has processed as many pages as the limit is closed and replaced, never handed out again', async () => {
  await fc.assert(
    fc.asyncProperty(setting, moves, async ({ pageLimit, contextsPerBrowser, size, spare }, sequence) => {
      const browsers = new Map<number, PaperBrowser>();
      const telemetry = new QuietTelemetry();
      const pool = createBrowserPool({
        size,
        max: size + spare,
        contextsPerBrowser,
        pageLimit,
        maxAgeMs: 3_600_000,
        acquireTimeoutMs: 5000,
        closeTimeoutMs: 1000,
        hungAfterMs: 5_000,
        async launch() {
          const browser = new PaperBrowser(browsers.size + 1);
          browsers.set(browser.pid, browser);
          return browser;
        },
        clock: systemClock,
        onRetire: (reason) => telemetry.browserRetired(reason),
        log: telemetry.log,
      });
      await pool.start();
      const held: BrowserSlot[] = [];
      let released = 0;

      const giveBack = async (slot: BrowserSlot): Promise<void> => {
        const browser = browsers.get(slot.pid)!;
        await pool.release(slot);
        released++;
        browser.served++;
        browser.held--;
        // Worn out and empty: it is closed by the very release that emptied it. Else it lives.
        expect(browser.closed).toBe(browser.served >= pageLimit && browser.held === 0 ? 1 : 0);
      };

      for (const move of sequence) {
        if (move < 0 && held.length < size + spare) {
          const slot = await pool.acquire();
          const browser = browsers.get(slot.pid)!;
          expect(browser.served).toBeLessThan(pageLimit);
          expect(browser.closed).toBe(0);
          browser.held++;
          expect(browser.held).toBeLessThanOrEqual(contextsPerBrowser);
          held.push(slot);
        } else if (move >= 0 && held.length > 0) {
          await giveBack(held.splice(move % held.length, 1)[0]!);
        }
        expect(pool.stats()).toMatchObject({ in_use: held.length, pages_processed: released });
      }
      for (const slot of held.splice(0)) await giveBack(slot);

      const worn = [...browsers.values()].filter(({ served }) => served >= pageLimit);
      expect(pool.stats().recycled_count).toBe(worn.length);
      expect(telemetry.retired).toEqual(worn.map(() => 'page_limit'));
      const needed = Math.ceil(pool.stats().total / contextsPerBrowser);
      while (pool.stats().browsers < needed) await systemClock.wait(1);
      // Beside each that is about to be worn out its replacement waits.
      const isLeaving = ({ served }: PaperBrowser): boolean =>
        served > 0 && served < pageLimit && pageLimit - served <= contextsPerBrowser;
      const leaving = [...browsers.values()].filter(isLeaving).length;
      expect(pool.stats().browsers).toBeLessThanOrEqual(needed + leaving);

      await pool.shutdown();
      expect([...browsers.values()].every(({ closed }) => closed === 1)).toBe(true);
    }),
    { numRuns: 150 },
  );
});
