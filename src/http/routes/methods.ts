import type { HTTPMethods } from 'fastify';
import type { App } from './types.js';

/**
 * A path that exists answers 405 to the methods it does not have, and says which it has. Registered as real routes:
 * otherwise `GET …/scrape/batch` would be taken for the task with the id `batch`.
 */
export function collectPaths(app: App): { refuseOtherMethods(): void } {
  const paths = new Set<string>();
  app.addHook('onRoute', ({ url }) => {
    paths.add(url);
  });
  return {
    refuseOtherMethods: () => {
      for (const url of [...paths]) refuseOthers(app, url);
    },
  };
}

function refuseOthers(app: App, url: string): void {
  // The router is asked, not the hook: some routes of plugins are registered without telling it.
  const isAnswered = (method: string): boolean => app.hasRoute({ method: method as HTTPMethods, url });
  const allow = app.supportedMethods.filter(isAnswered).sort().join(', ');
  const method = app.supportedMethods.filter((name) => !isAnswered(name));
  // The gate answers before this handler could run.
  app.route({ method, url, config: { allow }, schema: { hide: true }, handler: () => undefined });
}
