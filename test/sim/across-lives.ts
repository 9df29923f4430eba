/** What one process knows of a site that the next one must know, too. Monotonic ms. */
export interface SiteKnowledge {
  /** When requests began, oldest first. */
  begun: number[];
  quietUntil: number;
  slowUntil: number;
  /** `null`: its circuit is closed. `unknown`: the service may know better than we do, and is then the more careful one. */
  openedAt: number | null | 'unknown';
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
    const site = this.site(domain);
    // Until it is written that the site is well again, the next process takes it for ill.
    if (learnt.openedAt !== site.openedAt) site.openedAt = 'unknown';
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
    const isSlept = typeof openedAt === 'number' && openedAt <= jumpedAt;
    return { ...times, begun: begun.filter((at) => at > jumpedAt), openedAt: isSlept ? 'unknown' : openedAt };
  }

  private site(domain: string): SiteKnowledge {
    const known = this.sites.get(domain) ?? { begun: [], quietUntil: 0, slowUntil: 0, openedAt: null };
    this.sites.set(domain, known);
    return known;
  }
}
