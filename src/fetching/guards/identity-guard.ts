import type { Guard } from '../../ports/guard.js';
import type { Identities } from '../identity.js';

/** Who do we go as? Somebody who fits the browser and the proxy, which is why this comes last; on the same way, the same as before. */
export function createIdentityGuard({ identities }: { identities: Identities }): Guard {
  return {
    name: 'identity',
    check(plan) {
      const { earlier, proxy, engine } = plan;
      const other = identities.next(proxy?.region ?? null, engine);
      const isSameWay = earlier?.proxy?.id === proxy?.id;
      // Another version may have come up since, or the first one: then it would give the lie to what was claimed.
      const isSameBrowser = earlier?.identity.userAgent === other.userAgent;
      plan.identity = earlier && isSameWay && isSameBrowser ? earlier.identity : other;
      return { kind: 'go' };
    },
  };
}
