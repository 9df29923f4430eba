import type { Guard } from '../../ports/guard.js';
import type { Identities } from '../identity.js';

/** Who do we go as? Somebody who fits the proxy, which is why this comes last. */
export function createIdentityGuard({ identities }: { identities: Identities }): Guard {
  return {
    name: 'identity',
    check(plan) {
      plan.identity = identities.next(plan.proxy?.region ?? null);
      return { kind: 'go' };
    },
  };
}
