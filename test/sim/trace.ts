import { createHash } from 'node:crypto';

/** What must always hold, and did not. */
export class Violation extends Error {
  constructor(
    readonly invariant: string,
    detail: string,
  ) {
    super(`${invariant}: ${detail}`);
    this.name = 'Violation';
  }
}

const KEPT = 60;

/** Everything that happened, in order: all of it as a hash, the last part as text. Two runs of one seed have one hash. */
export class Trace {
  readonly counts: Record<string, number> = {};
  private readonly hash = createHash('sha256');
  private readonly last: string[] = [];

  constructor(private readonly now: () => number) {}

  note(kind: string, detail: string): void {
    const line = `${this.now().toFixed(3)} ${kind} ${detail}`;
    this.hash.update(line).update('\n');
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    this.last.push(line);
    if (this.last.length > 2 * KEPT) this.last.splice(0, KEPT);
  }

  tail(): string[] {
    return this.last.slice(-KEPT);
  }

  digest(): string {
    return this.hash.copy().digest('hex');
  }
}
