import type { LimitRate } from '../../src/domain/token-window.js';

interface Granted {
  now: number;
  arrivesAt: number;
  rate: LimitRate;
}

/** Every grant of every domain, as far back as it takes to tell whether there were too many. */
export class DomainLedger {
  /** Grants that came before the token they took was back. */
  early = 0;
  private readonly actual: number[][];
  private readonly alone: number[][];
  private readonly tasks: Uint32Array;

  constructor(domains: number) {
    this.actual = Array.from({ length: domains }, () => []);
    this.alone = Array.from({ length: domains }, () => []);
    this.tasks = new Uint32Array(domains);
  }

  /** To be told of every task beforehand: a domain with one task never waits for its own tokens. */
  expect(domain: number): void {
    this.tasks[domain]! += 1;
  }

  isSingle(domain: number): boolean {
    return this.tasks[domain] === 1;
  }

  /**
   * Answers when the visit would have begun if there were nothing in the world but this domain, its rate and its
   * visits in this order.
   */
  granted(domain: number, { now, arrivesAt, rate }: Granted): number {
    const actual = this.actual[domain]!;
    if (now < tokenBack(actual, rate)) this.early += 1;
    remember(actual, now, rate);
    const alone = this.alone[domain]!;
    const earliest = Math.max(arrivesAt, alone.at(-1) ?? 0, tokenBack(alone, rate));
    remember(alone, earliest, rate);
    return earliest;
  }
}

const tokenBack = (grants: number[], { tokens, intervalMs }: LimitRate): number =>
  (grants.at(-tokens) ?? Number.NEGATIVE_INFINITY) + intervalMs;

function remember(grants: number[], at: number, { tokens }: LimitRate): void {
  grants.push(at);
  if (grants.length > tokens) grants.shift();
}

/** Whether the best always goes first: counts those who had to watch a worse one go after they had come. */
export class OrderWatch {
  overtaken = 0;
  /** Times and keys of dispatches, less those after which a worse one went: the first after a time is the worst. */
  private readonly worst: { at: number; key: number }[] = [];

  dispatched({ key, arrivesAt, now }: { key: number; arrivesAt: number; now: number }): void {
    const since = this.worst[this.firstAfter(arrivesAt)];
    if (since && since.key > key) this.overtaken += 1;
    while ((this.worst.at(-1)?.key ?? Number.POSITIVE_INFINITY) <= key) this.worst.pop();
    this.worst.push({ at: now, key });
  }

  private firstAfter(time: number): number {
    let [low, high] = [0, this.worst.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.worst[middle]!.at <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
