import type { Company } from '../domain/poison.js';
import type { Clock } from '../ports/clock.js';

/** Called once, when the leg is over and what came of it is stored. */
export type Leave = () => void;

/**
 * Who is at work at the same time. Anybody may be, but of those who are suspected of having taken the service down one
 * at a time; and one on whom it died again works alone, so that, should it die once more, nobody else is to blame.
 *
 *   open ──it comes──▶ clearing ──the last one leaves──▶ trial ──it leaves──▶ open
 *
 * While it clears and during the trial everybody else waits at the entrance. A trial is a standstill for all others, so
 * while these are at work after one, the next comes no sooner than it has taken: they get half of the time at most.
 */
export class Solitude {
  private atWork = 0;
  private hasSuspect = false;
  private isTaken = false;
  private isClosed = false;
  private restsUntil = 0;
  private cleared: (() => void) | null = null;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  /** `null`: not now. Another suspect is before it, or it is the turn of the others, or the service stops. */
  enter(company: Company): Promise<Leave | null> {
    switch (company) {
      case 'anybody':
        return this.enterAmongOthers();
      case 'no_suspect':
        return this.enterAsSuspect();
      case 'nobody':
        return this.enterAlone();
    }
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

  private async enterAsSuspect(): Promise<Leave | null> {
    if (this.hasSuspect || this.isTaken) return null;
    this.hasSuspect = true;
    const leave = await this.enterAmongOthers();
    if (!leave) this.hasSuspect = false;
    return (
      leave &&
      (() => {
        this.hasSuspect = false;
        leave();
      })
    );
  }

  private async enterAlone(): Promise<Leave | null> {
    const begun = this.clock.mono();
    const isOthersTurn = begun < this.restsUntil && this.atWork > 0;
    if (this.isClosed || this.isTaken || isOthersTurn) return null;
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
    this.restsUntil = now + (now - begun);
    this.isTaken = false;
    this.admitWaiting();
  }

  private admitWaiting(): void {
    for (const admit of this.waiting.splice(0)) admit();
  }
}
