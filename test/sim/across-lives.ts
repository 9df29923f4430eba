import type { LimitRate } from '../../src/domain/token-window.js';
import type { Answered } from './site-watch.js';

interface Seen {
  life: number;
  begun: { at: number; life: number }[];
  quietUntil: number;
}

/**
 * What a site sees over all lives of the service. Limiter and breaker are in memory, so a restart forgets them: what
 * holds then is `tokens` in any window for each life, and no more. How often a site sees more than one life would
 * give it is counted here, not forbidden.
 */
export class AcrossLives {
  private readonly sites = new Map<string, Seen>();

  /** Answers what a service that never restarts would not have done. */
  begins(domain: string, { now, life, rate }: { now: number; life: number; rate: LimitRate }): string[] {
    const seen = this.seenOf(domain, life);
    const found: string[] = [];
    const oldest = seen.begun.at(-rate.tokens);
    if (oldest && oldest.life !== life && now - oldest.at < rate.intervalMs) found.push('window');
    if (seen.life !== life && now < seen.quietUntil) found.push('retry_after');
    seen.begun.push({ at: now, life });
    if (seen.begun.length > rate.tokens) seen.begun.shift();
    return found;
  }

  ends(domain: string, now: number, life: number, { throttledMs }: Answered): void {
    if (throttledMs === null) return;
    const seen = this.seenOf(domain, life);
    seen.life = life;
    seen.quietUntil = Math.max(seen.quietUntil, now + throttledMs);
  }

  private seenOf(domain: string, life: number): Seen {
    const known = this.sites.get(domain) ?? { life, begun: [], quietUntil: 0 };
    this.sites.set(domain, known);
    return known;
  }
}
