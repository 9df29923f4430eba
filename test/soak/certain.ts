import type { SeenRequest } from '../support/site.js';
import type { PromisedTask } from './accounts.js';

/** Neither a page that is about to come nor one that is about to be gone. */
const MARGIN_MS = 200;

/** Tasks whose page is being loaded by a browser right now, beyond doubt: the website has yet to answer. */
export function certainlyIn(
  tasks: readonly PromisedTask[],
  requests: readonly Pick<SeenRequest, 'host' | 'path' | 'at'>[],
  now = performance.now(),
): Set<string> {
  const byBrowser = new Map(tasks.filter(({ needsBrowser }) => needsBrowser).map(({ url, id }) => [url, id]));
  const certain = new Set<string>();
  for (const { host, path, at } of requests) {
    const id = byBrowser.get(`http://${host}${path}`);
    const answersAfter = Number(/^\/slow\?ms=(\d+)/.exec(path)?.[1] ?? 0);
    if (id && now - at > MARGIN_MS && at + answersAfter - now > MARGIN_MS) certain.add(id);
  }
  return certain;
}
