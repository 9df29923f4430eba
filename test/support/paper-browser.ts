import type { LaunchedBrowser } from '../../src/fetching/chromium.js';

/** A browser with nothing behind it, for what is decided about browsers: with Chromium it would take an hour. */
export const paperBrowser = (changes: Partial<LaunchedBrowser> = {}): LaunchedBrowser => ({
  pid: 1,
  version: '1',
  tempDir: '',
  gone: new Promise<void>(() => undefined),
  newContext: () => Promise.reject(new Error('not asked for')),
  answers: async () => undefined,
  close: async () => undefined,
  kill: async () => undefined,
  ...changes,
});
