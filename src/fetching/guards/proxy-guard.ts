import { errorRule, GleanerError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard } from '../../ports/guard.js';
import type { Proxies } from '../proxies.js';

/** Which way do we go? With no proxies configured: directly. */
export function createProxyGuard({ proxies, clock }: { proxies: Proxies; clock: Clock }): Guard {
  return {
    name: 'proxy',
    check(plan) {
      const turn = proxies.next();
      if (turn.kind === 'none') {
        const retryAfterMs = Math.max(0, turn.until - clock.mono());
        return { kind: 'no', error: new GleanerError('no_healthy_proxies', 'No proxy is healthy.', { retryAfterMs }) };
      }
      plan.proxy = turn.kind === 'proxy' ? turn.proxy : null;
      return { kind: 'go' };
    },
    after(plan, { error }) {
      if (!plan.proxy) return;
      if (error === null) proxies.succeeded(plan.proxy.id);
      else if (errorRule(error.code).charges === 'proxy') proxies.failed(plan.proxy.id);
    },
  };
}
