/** Half of what was seen so long ago counts. */
const HALF_LIFE_MS = 6 * 3_600_000;
/** More than so many observations are not weighed: a site that has changed is soon believed. */
const MOST = 8;
/** After this a settled question is asked again, however few came by. */
const PROBE_AFTER_MS = 3_600_000;

/**
 * What observations say to a question of yes or no. They fade with time and with newer ones; and since nobody looks any
 * more where the answer seems settled, every so often somebody must (a probe). Times are monotonic ms, given by the caller.
 */
export class Belief {
  private readonly probeEvery: number;
  private yes = 0;
  private no = 0;
  private weighedAt: number;
  private skipped = 0;
  private lookedAt: number;

  /** `probeEvery`: of so many that did not look, the last shall. */
  constructor(probeEvery: number, now: number) {
    this.probeEvery = probeEvery;
    this.weighedAt = now;
    this.lookedAt = now;
  }

  /** How many observations speak for yes and for no, as far as they count now. */
  weights(now: number): { yes: number; no: number } {
    const left = 0.5 ** (Math.max(0, now - this.weighedAt) / HALF_LIFE_MS);
    return { yes: this.yes * left, no: this.no * left };
  }

  /** `weight`: it stands for so many. */
  observe(isYes: boolean, now: number, weight = 1): void {
    const { yes, no } = this.weights(now);
    const scale = Math.min(1, (MOST - weight) / (yes + no || 1));
    this.yes = yes * scale + (isYes ? weight : 0);
    this.no = no * scale + (isYes ? 0 : weight);
    this.weighedAt = now;
    this.looked(now);
  }

  /** Somebody did not look. */
  skip(): void {
    this.skipped += 1;
  }

  /** There is a reason to look again: whoever comes next shall. */
  doubt(): void {
    this.skipped = this.probeEvery - 1;
  }

  /** Is it time to look again? Whoever is told yes is the one who does. */
  takeProbe(now: number): boolean {
    const isDue = this.skipped >= this.probeEvery - 1 || now - this.lookedAt >= PROBE_AFTER_MS;
    if (isDue) this.looked(now);
    return isDue;
  }

  private looked(now: number): void {
    this.skipped = 0;
    this.lookedAt = now;
  }
}
