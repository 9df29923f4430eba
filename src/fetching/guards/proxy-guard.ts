import { errorRule, GleanerError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Guard, VisitPlan } from '../../ports/guard.js';
import type { Proxies, ProxyTurn } from '../proxies.js';

/** Which way do we go? With no proxies configured: directly. */
export function createProxyGuard({ proxies, clock }: { proxies: Proxies; clock: Clock }): Guard {
  return {
    name: 'proxy',
    check(plan) {
      const turn = goOn(plan, proxies) ?? proxies.next(plan.domain);
      switch (turn.kind) {
        case 'direct':
          plan.proxy = null;
          return { kind: 'go' };
        case 'proxy':
          plan.proxy = turn.proxy;
          return { kind: 'go', release: turn.release };
        case 'cooling':
          return { kind: 'wait', until: turn.until, reason: 'every proxy was used for the domain a moment ago' };
        case 'none':
          return { kind: 'no', error: noHealthyProxy(turn.until - clock.mono()) };
      }
    },
    after({ proxy, domain }, { error }) {
      if (!proxy) return;
      // An answer of the target, whatever it says, was carried by the proxy.
      if (error === null || error.httpStatus !== undefined) proxies.succeeded(proxy.id);
      else if (errorRule(error.code).charges === 'proxy') {
        proxies.failed(proxy.id, { domain, isSuspicion: error.isSuspicion });
      }
    },
  };
}

/** A visit that goes on takes the way it came, while that is well; it is no use of its own. */
const goOn = ({ earlier, domain }: VisitPlan, proxies: Proxies): ProxyTurn | null =>
  earlier?.proxy ? proxies.again(domain, earlier.proxy.id) : null;

export const noHealthyProxy = (untilMs: number): GleanerError =>
  new GleanerError('no_healthy_proxies', 'No proxy is healthy.', { retryAfterMs: Math.max(0, untilMs) });
