/** What one process knows of a site that the next one must know, too. Monotonic ms. */
export interface SiteKnowledge {
  /** When requests began, oldest first. */
  begun: number[];
  quietUntil: number;
  slowUntil: number;
  /** `null`: its circuit is closed. */
  openedAt: number | null;
}

type Learnt = Partial<Omit<SiteKnowledge, 'begun'>>;

const KEPT = 50;

/**
 * What a site may expect over all lives of the service. Requests are known from the moment they begin: their grants are
 * on the disk before. What was learnt from an answer is known from the first commit after it; until then, and if that
 * commit fails, the next process may not know it, but no more than that.
 */
export class AcrossLives {
  private readonly sites = new Map<string, SiteKnowledge>();
  private unsure: { domain: string; learnt: Learnt }[] = [];

  begins(domain: string, now: number): void {
    const { begun } = this.site(domain);
    begun.push(now);
    if (begun.length > KEPT) begun.shift();
  }

  learns(domain: string, learnt: Learnt): void {
    // That it is well again is never held against us.
    if (learnt.openedAt === null) this.site(domain).openedAt = null;
    this.unsure.push({ domain, learnt });
  }

  committed(): void {
    for (const { domain, learnt } of this.unsure.splice(0)) Object.assign(this.site(domain), learnt);
  }

  /** A commit has failed, or the process is gone before one. */
  lost(): void {
    this.unsure = [];
  }

  /** `jumpedAt`: who has slept by a clock that was set does not know for how long. */
  inherit(domain: string, jumpedAt: number): SiteKnowledge {
    const { begun, openedAt, ...times } = this.site(domain);
    if (jumpedAt > Number.NEGATIVE_INFINITY) Object.assign(times, { quietUntil: 0, slowUntil: 0 });
    const isKnown = openedAt !== null && openedAt > jumpedAt;
    return { ...times, begun: begun.filter((at) => at > jumpedAt), openedAt: isKnown ? openedAt : null };
  }

  private site(domain: string): SiteKnowledge {
    const known = this.sites.get(domain) ?? { begun: [], quietUntil: 0, slowUntil: 0, openedAt: null };
    this.sites.set(domain, known);
    return known;
  }
}
