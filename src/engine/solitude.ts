import type { Clock } from '../ports/clock.js';

/** Called once, when the leg is over and what came of it is stored. */
export type Leave = () => void;

/**
 * Who is at work at the same time. Anybody may be, but for a task that is suspected of having taken the service down:
 * it works alone, so that, should the service die again, nobody else is to blame.
 *
 *   open ──a suspect comes──▶ clearing ──the last one leaves──▶ trial ──it leaves──▶ open
 *
 * While it clears and during the trial everybody else waits at the entrance. Trials stand still for all, so after one
 * that kept somebody waiting the next comes no sooner than it has taken: suspects get half of the time at most.
 */
export class Solitude {
  private atWork = 0;
  private isTaken = false;
  private isClosed = false;
  private restsUntil = 0;
  private cleared: (() => void) | null = null;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** `null`: not now. Another suspect is before it, or it is the turn of the others, or the service stops. */
  enter({ alone }: { alone: boolean }): Promise<Leave | null> {
    return alone ? this.enterAlone() : this.enterAmongOthers();
  }

  /** Nobody begins any more; whoever waits is sent away. */
  close(): void {
    this.isClosed = true;
    this.cleared?.();
    this.admitWaiting();
  }

  private async enterAmongOthers(): Promise<Leave | null> {
    while (this.isTaken && !this.isClosed) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.isClosed) return null;
    this.atWork += 1;
    return () => {
      this.atWork -= 1;
      if (this.atWork === 0) this.cleared?.();
    };
  }

  private async enterAlone(): Promise<Leave | null> {
    const begun = this.clock.mono();
    if (this.isClosed || this.isTaken || begun < this.restsUntil) return null;
    this.isTaken = true;
    if (this.atWork > 0) await new Promise<void>((resolve) => (this.cleared = resolve));
    this.cleared = null;
    const leave = (): void => this.endTrial(begun);
    if (!this.isClosed) return leave;
    leave();
    return null;
  }

  private endTrial(begun: number): void {
    const now = this.clock.mono();
    if (this.waiting.length > 0) this.restsUntil = now + (now - begun);
    this.isTaken = false;
    this.admitWaiting();
  }

  private admitWaiting(): void {
    for (const admit of this.waiting.splice(0)) admit();
  }
}
