import asyncHooks from 'node:async_hooks';
import { createRequire } from 'node:module';

/** The part of AsyncLocalStorage that Playwright uses. */
class SynchronousStorage<T> {
  private store: T | undefined;

  getStore(): T | undefined {
    return this.store;
  }

  run<R>(store: T, work: () => R): R {
    const outer = this.store;
    this.store = store;
    try {
      return work();
    } finally {
      this.store = outer;
    }
  }
}

/**
 * Playwright, without what it does to the rest of the process. It remembers in an AsyncLocalStorage which of its calls
 * led to which, for the names in its error messages. Up to Node 22 the first use of one switches on hooks for every
 * promise and callback of the whole process, a sixth of what it costs to accept a task. The one that Playwright gets
 * here forgets where a call first waits, and an error then names the inner call too.
 */
export const { chromium } = withoutHooks(
  () => createRequire(import.meta.url)('playwright') as typeof import('playwright'),
);

function withoutHooks<T>(load: () => T): T {
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = SynchronousStorage as unknown as typeof AsyncLocalStorage;
  try {
    return load();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}
