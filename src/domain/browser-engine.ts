/**
 * What brings a page that needs a browser. `shell` is the headless shell: two to three times cheaper, but a page can
 * tell it (no `window.chrome`, no plugins). `chromium` is the full browser, made as lean as it gets.
 */
export const BROWSER_ENGINES = ['shell', 'chromium'] as const;
export type BrowserEngine = (typeof BROWSER_ENGINES)[number];
