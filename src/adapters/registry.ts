import type { Adapter, AdapterRegistry } from '../domain/adapter.js';
import { companyWebsite } from './company-website.js';
import { jobPosting } from './job-posting.js';
import { linkedinProfile } from './linkedin-profile.js';
import { webPage } from './web-page.js';

/** Every kind of page the service can read. A new one is one file and one line here. */
const ADAPTERS: readonly Adapter[] = [linkedinProfile, companyWebsite, jobPosting, webPage];

export function createRegistry(adapters: readonly Adapter[] = ADAPTERS): AdapterRegistry {
  const byType = new Map<string, Adapter>();
  for (const adapter of adapters) {
    if (byType.has(adapter.targetType)) throw new Error(`Two adapters read ${adapter.targetType}.`);
    byType.set(adapter.targetType, adapter);
  }
  return {
    get: (targetType) => byType.get(targetType),
    types: () => [...byType.keys()],
  };
}
