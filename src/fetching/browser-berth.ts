import type { Context, NewContext } from './browser-context.js';

/** The contexts of one visit, or of one to come: opened one by one, closed together. */
export interface Berth {
  readonly newContext: NewContext;
  /** How many contexts are open. */
  open(): number;
  /** May take as long as the browser does; never rejects. */
  close(): Promise<unknown>;
}

export function createBerth(newContext: NewContext): Berth {
  const contexts: Promise<Context>[] = [];
  let open = 0;
  return {
    newContext(options) {
      const context = newContext(options);
      contexts.push(context);
      context.then(
        () => open++,
        () => undefined,
      );
      return context;
    },
    open: () => open,
    // A context that is still being opened is waited for too: left alone it would stay in the browser for good.
    close: () => Promise.all(contexts.map((context) => context.then((opened) => opened.close()).catch(ignore))),
  };
}

const ignore = (): void => {};
