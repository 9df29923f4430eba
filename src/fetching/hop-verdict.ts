import type { Detour, FetchRequest } from '../ports/fetcher.js';

/** What the visit ends with instead of this hop; `null`: on with it. Throws what forbids it. `hops` counts this one too. */
export function detourAt({ mayFollow }: FetchRequest, url: URL, hops: number): Detour | null {
  const verdict = mayFollow?.(url) ?? 'follow';
  if (verdict === 'follow') return null;
  if (verdict === 'leave') return { kind: 'detour', to: url.href, hops };
  throw verdict;
}
