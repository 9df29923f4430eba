import type { LimitRate } from '../../src/domain/token-window.js';
import type { SiteKnowledge } from './across-lives.js';
import { Violation } from './trace.js';

/** What a visit told of its site: `null` says nothing about whether it is well. */
export interface Answered {
  failed: boolean | null;
  throttledMs: number | null;
}

/** From a grant or a question to the request itself there are at most some commits: the site sees so much jitter. */
export const SLACK_MS = 60;
const SLOW_FOR_MS = 300_000;

/**
 * What one process may do to one site, told once more in plain words: the limiter's and the breaker's own code are not
 * asked. What an earlier process knew of the site is known here, too.
 */
export class SiteWatch {
  private readonly grants: number[] = [];
  private readonly begun: number[];
  private underWay = 0;
  private quietUntil: number;
  private slowUntil: number;
  private answers: boolean[] = [];
  private openedAt: SiteKnowledge['openedAt'];
  private probe: string | null = null;
  /** Who was let out while it was closed, and is not back: what they bring no longer counts once it has opened. */
  private readonly out = new Map<string, 'usual' | 'probe'>();

  constructor(
    private readonly name: string,
    private readonly settings: { windowSize: number; failureThreshold: number; cooldownMs: number },
    inherited: SiteKnowledge,
  ) {
    this.begun = [...inherited.begun];
    this.quietUntil = inherited.quietUntil;
    this.slowUntil = inherited.slowUntil;
    this.openedAt = inherited.openedAt;
  }

  /** What the next process will have to know. */
  get learnt(): Omit<SiteKnowledge, 'begun'> {
    const { quietUntil, slowUntil, openedAt } = this;
    return { quietUntil, slowUntil, openedAt };
  }

  granted(now: number, rate: LimitRate): void {
    this.inWindow(this.grants, now, rate, 0);
    const last = this.grants.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (now < this.quietUntil) this.fail('retry-after', `granted ${this.quietUntil - now} ms before it asked us back`);
    const gap = now < this.slowUntil ? (2 * rate.intervalMs) / rate.tokens : 0;
    // At its end a slowdown is over at once, whatever was granted last.
    if (now - last < Math.max(gap, 0) && now < this.slowUntil - 0.001)
      this.fail('slowdown', `granted ${now - last} ms after the last one, ${gap} ms were due after a 429`);
    this.grants.push(now);
  }

  givenBack(at: number): void {
    const place = this.grants.lastIndexOf(at);
    if (place !== -1) this.grants.splice(place, 1);
  }

  begins(visitor: string, now: number, rate: LimitRate): void {
    this.inWindow(this.begun, now, rate, SLACK_MS);
    this.begun.push(now);
    this.underWay += 1;
    if (rate.maxConcurrent !== null && this.underWay > rate.maxConcurrent)
      this.fail('places', `${this.underWay} requests at once, ${rate.maxConcurrent} may be`);
    if (typeof this.openedAt !== 'number') return void this.out.set(visitor, 'usual');
    const since = now - this.openedAt;
    if (since > SLACK_MS && since < this.settings.cooldownMs)
      this.fail('breaker', `a request ${since} ms after it opened`);
    if (since <= SLACK_MS) return void this.out.set(visitor, 'usual');
    if (this.probe !== null) this.fail('one probe', `${visitor} went while ${this.probe} was out as the probe`);
    this.probe = visitor;
    this.out.set(visitor, 'probe');
  }

  ends(visitor: string, now: number, { failed, throttledMs }: Answered): void {
    this.underWay -= 1;
    if (throttledMs !== null) {
      this.quietUntil = Math.max(this.quietUntil, now + throttledMs);
      this.slowUntil = Math.max(this.slowUntil, now + SLOW_FOR_MS, this.quietUntil);
    }
    const role = this.out.get(visitor);
    this.out.delete(visitor);
    if (role === 'probe') this.probed(failed, now);
    else if (this.openedAt === null && failed !== null) this.counted(failed, now);
  }

  private counted(failed: boolean, now: number): void {
    this.answers = [...this.answers, failed].slice(-this.settings.windowSize);
    if (this.answers.filter(Boolean).length > this.settings.failureThreshold) this.open(now);
  }

  private probed(failed: boolean | null, now: number): void {
    this.probe = null;
    if (failed === true) this.open(now);
    else if (failed === false) {
      this.openedAt = null;
      this.answers = [];
    }
  }

  private open(now: number): void {
    this.openedAt = now;
    this.answers = [];
  }

  private inWindow(times: number[], now: number, rate: LimitRate, slackMs: number): void {
    const oldest = times.at(-rate.tokens);
    if (oldest !== undefined && now - oldest < rate.intervalMs - slackMs)
      this.fail('window', `${rate.tokens + 1} in ${now - oldest} ms, ${rate.tokens} in ${rate.intervalMs} ms may be`);
    const last = times.at(-1);
    if (last !== undefined && now - last < rate.minGapMs - slackMs)
      this.fail('gap', `two within ${now - last} ms, ${rate.minGapMs} ms must lie between`);
  }

  private fail(invariant: string, detail: string): never {
    throw new Violation(invariant, `${this.name}: ${detail}`);
  }
}
