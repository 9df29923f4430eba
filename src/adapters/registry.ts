import type { Adapter, AdapterRegistry } from '../domain/adapter.js';
import { companyWebsite } from './company-website.js';
import { jobPosting } from './job-posting.js';
import { linkedinProfile } from './linkedin-profile.js';
import { webPage } from './web-page.js';

/** Every kind of page the service can read. A new one is one file and one line here. */
const ADAPTERS: readonly Adapter[] = [linkedinProfile, companyWebsite, jobPosting, webPage];

/** All of them, and those that the operator has described. */
export const registryWith = (cases: readonly Adapter[]): AdapterRegistry => createRegistry(ADAPTERS, cases);

/** `cases` are read like all others, but only plans ask for them: they are not among the types that callers may name. */
export function createRegistry(
  adapters: readonly Adapter[] = ADAPTERS,
  cases: readonly Adapter[] = [],
): AdapterRegistry {
  const byType = new Map<string, Adapter>();
  for (const adapter of [...adapters, ...cases]) {
    if (byType.has(adapter.targetType)) throw new Error(`Two adapters read ${adapter.targetType}.`);
    byType.set(adapter.targetType, adapter);
  }
  return {
    get: (targetType) => byType.get(targetType),
    types: () => adapters.map(({ targetType }) => targetType),
  };
}
