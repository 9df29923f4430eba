import type { Guard } from '../../ports/guard.js';
import type { Identities } from '../identity.js';

/** Who do we go as? Somebody who fits the proxy, which is why this comes last; on the same way, the same as before. */
export function createIdentityGuard({ identities }: { identities: Identities }): Guard {
  return {
    name: 'identity',
    check(plan) {
      const { earlier, proxy } = plan;
      const isSameWay = earlier !== null && earlier.proxy?.id === proxy?.id;
      plan.identity = isSameWay ? earlier.identity : identities.next(proxy?.region ?? null);
      return { kind: 'go' };
    },
  };
}
