import { asGleanerError, GleanerError } from '../../domain/errors.js';
import { checkUrl, type EgressAllow } from '../../domain/target-url.js';
import type { Guard } from '../../ports/guard.js';
import { unlessAborted } from '../abort.js';
import type { Egress } from '../egress.js';

/**
 * May we go there at all? Refuses early what would be refused at every connection anyway, so that nothing else is
 * spent on it: no robots.txt, no token, no browser.
 */
export function createEgressGuard({ egress, allow }: { egress: Egress; allow: EgressAllow }): Guard {
  return {
    name: 'egress',
    async check(plan, signal) {
      const checked = checkUrl(plan.url, allow);
      if ('fault' in checked) return { kind: 'no', error: new GleanerError('egress_denied', checked.fault) };
      try {
        await unlessAborted(egress.resolve(checked.url.hostname), signal);
        return { kind: 'go' };
      } catch (error) {
        return { kind: 'no', error: asGleanerError(error) };
      }
    },
  };
}
