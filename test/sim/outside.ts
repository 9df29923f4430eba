import { GleanerError } from '../../src/domain/errors.js';
import type { AllowedHours } from '../../src/domain/policy.js';
import { domainOf } from '../../src/domain/registrable-domain.js';
import type { LimitRate } from '../../src/domain/token-window.js';
import type { Fetcher, FetchRequest } from '../../src/ports/fetcher.js';
import type { WebhookSender } from '../../src/ports/webhook-sender.js';
import { aPage } from '../support/engine-harness.js';
import type { AcrossLives } from './across-lives.js';
import type { Books } from './books.js';
import { type Life, never } from './life.js';
import type { Seeded } from './seeded.js';
import { type Answered, SiteWatch, SLACK_MS } from './site-watch.js';
import { type Trace, Violation } from './trace.js';
import type { Fate, World } from './world.js';

export interface OutsideParts {
  world: World;
  seeded: Seeded;
  trace: Trace;
  books: Books;
  lives: AcrossLives;
  /** Monotonic ms of the last jump of the wall clock. */
  jumpedAt: () => number;
  check: (act: () => void) => void;
  /** Takes the process with it, if the run may still have a kill. */
  crash: (why: string) => boolean;
}

/** The websites and receivers as one process meets them, and what they may expect of it. */
export class Outside {
  private readonly watches = new Map<string, SiteWatch>();
  private readonly posting = new Set<string>();
  private fetches = 0;
  /** Of whom a page is under way; `true`: it must be the only one. */
  private readonly fetching = new Map<string, boolean>();

  constructor(
    private readonly parts: OutsideParts,
    private readonly life: Life,
  ) {}

  watchOf(key: string): SiteWatch {
    const { world, lives, jumpedAt } = this.parts;
    const known = this.watches.get(key) ?? new SiteWatch(key, world.breaker, lives.inherit(key, jumpedAt()));
    this.watches.set(key, known);
    return known;
  }

  rateOf(url: string): LimitRate {
    const policy = this.parts.world.policies.forHost(new URL(url).hostname);
    const { tokensPerInterval: tokens, intervalSeconds, minIntervalMs: minGapMs, maxConcurrent } = policy;
    return { tokens, intervalMs: intervalSeconds * 1_000, minGapMs, maxConcurrent };
  }

  fetcher(kind: 'http' | 'browser'): Fetcher['fetch'] {
    return (request, signal) => (this.life.isOver ? never() : this.visited(kind, request, signal));
  }

  private async visited(kind: 'http' | 'browser', request: FetchRequest, signal: AbortSignal) {
    const { trace, check, lives } = this.parts;
    const { clock } = this.life;
    const domain = domainOf(request.url);
    const visitor = `f${(this.fetches += 1)}`;
    const rate = this.rateOf(request.url);
    check(() => this.watchOf(domain).begins(visitor, clock.mono(), rate));
    check(() => this.isWithinHours(domain));
    check(() => this.isOneSuspect(visitor, request.alone ?? false));
    lives.begins(domain, clock.mono());
    let answered: Answered = { failed: null, throttledMs: null };
    try {
      const { page, says } = await this.answer(kind, request, signal);
      answered = says;
      return page;
    } catch (error) {
      answered = answerOf(error as GleanerError);
      throw error;
    } finally {
      this.fetching.delete(visitor);
      trace.note('answered', `${domain} ${visitor} ${answered.failed}`);
      check(() => this.watchOf(domain).ends(visitor, clock.mono(), answered));
      lives.learns(domain, this.watchOf(domain).learnt);
    }
  }

  /** Here no browser ever dies: who must be alone in one is suspected of having taken the process down. */
  private isOneSuspect(visitor: string, isSuspect: boolean): void {
    const isBroken = isSuspect && [...this.fetching.values()].includes(true);
    this.fetching.set(visitor, isSuspect);
    if (isSuspect) this.parts.trace.note('trial', visitor);
    if (isBroken) throw new Violation('solitude', `two suspects at once: ${[...this.fetching.keys()]}`);
  }

  /** Unless the clock was set between the question and the request. */
  private isWithinHours(domain: string): void {
    const { world, jumpedAt } = this.parts;
    const { clock } = this.life;
    const { allowedHours } = world.policies.forHost(domain);
    if (clock.mono() - jumpedAt() <= SLACK_MS) return;
    const isOpen = (at: number): boolean => opensAt(allowedHours, new Date(at).getUTCHours());
    if (!isOpen(clock.now()) && !isOpen(clock.now() - SLACK_MS))
      throw new Violation('hours', `${domain} was visited outside its hours`);
  }

  private async answer(kind: 'http' | 'browser', request: FetchRequest, signal: AbortSignal) {
    const { world, seeded, trace } = this.parts;
    const site = world.sites.find(({ domain }) => domain === domainOf(request.url));
    const fate: Fate = seeded.weighted(site?.mood ?? { ok: 1 });
    trace.note('fetch', `${kind} ${request.url}`);
    const name = request.url.split('/').at(-1) ?? '';
    this.parts.check(() => {
      if (this.parts.books.plans.ended.has(name)) throw new Violation('ends once', `${name} had ended and is fetched`);
    });
    trace.note(`site:${fate}`, request.url);
    const well: Answered = { failed: false, throttledMs: null };
    await this.orAborted(fate === 'slow' ? seeded.int(5_000, 65_000) : seeded.int(1, 1_500), signal);
    switch (fate) {
      case 'shell':
        return { page: aPage(request, kind === 'http' ? 'shell' : 'Rendered', kind), says: well };
      case 'captcha':
        return { page: aPage(request, 'captcha', kind), says: { ...well, failed: true } };
      case 'empty':
        return { page: aPage(request, '', kind), says: { ...well, failed: null } };
      case 'redirect': {
        const to = `https://${seeded.pick(world.sites).domain}/moved`;
        return { page: { kind: 'detour' as const, to, hops: 1 }, says: well };
      }
      case 'crash':
        if (this.parts.crash('in a fetch')) return never<never>();
        break;
      case 'hang':
        await this.orAborted(Number.MAX_SAFE_INTEGER, signal);
        break;
      case 'ok':
      case 'slow':
        break;
      default:
        throw faultOf(fate, seeded);
    }
    return { page: aPage(request, 'Engineer', kind), says: well };
  }

  /** Waits, and rejects promptly with the signal's reason as every fetcher must. */
  private async orAborted(ms: number, signal: AbortSignal): Promise<void> {
    await this.life.clock.wait(ms, signal);
    if (signal.aborted) throw signal.reason;
  }

  readonly send: WebhookSender['send'] = async ({ url, headers, body }, signal) => {
    if (this.life.isOver) return never();
    const { trace, seeded, world, check, books, crash } = this.parts;
    const id = headers['webhook-id'] ?? '';
    check(() => this.mayPost(id, body));
    const receiver = world.receivers.find((one) => one.url === url);
    const isHealed = this.life.clock.mono() >= (receiver?.healsAt ?? 0);
    const answer = isHealed ? 'ok' : seeded.weighted(receiver?.mood ?? { ok: 1 });
    trace.note('post', `${url} ${id}`);
    trace.note(`receiver:${answer}`, id);
    this.posting.add(id);
    try {
      await this.orAborted(seeded.int(1, 800), signal);
      switch (answer) {
        case 'error':
          return { status: seeded.pick([500, 302, 404]), retryAfterMs: undefined };
        case 'busy':
          return { status: 429, retryAfterMs: seeded.int(1, 120) * 1_000 };
        case 'gone':
          books.refusedForGood.add(id);
          return { status: 410, retryAfterMs: undefined };
        case 'refused':
          throw new GleanerError('connect_failed', 'The connection failed.');
        case 'hang':
          await this.orAborted(Number.MAX_SAFE_INTEGER, signal);
          return never();
        case 'crash':
          // It has arrived, and nobody lives to write that down.
          books.accepted.add(id);
          if (crash('after a receiver took it')) return never();
          return { status: 200, retryAfterMs: undefined };
        default:
          books.accepted.add(id);
          return { status: 200, retryAfterMs: undefined };
      }
    } finally {
      this.posting.delete(id);
    }
  };

  private mayPost(id: string, body: string): void {
    const row = this.parts.books.deliveries.get(id);
    if (!row) throw new Violation('delivery doubled', `${id} was sent and is in no ledger`);
    if (row.status === 'delivered') throw new Violation('delivery doubled', `${id} was sent after it was delivered`);
    if (row.body !== body) throw new Violation('one body', `${id} was sent with another body than the ledger's`);
    if (this.posting.has(id)) throw new Violation('delivery doubled', `${id} is sent twice at the same time`);
  }
}

/** From the first hour up to the last, over midnight where that is the smaller one; the same hour twice is the whole day. */
function opensAt(hours: AllowedHours | null, hour: number): boolean {
  if (!hours) return true;
  const [sinceOpening, length] = [hour - hours.start, hours.end - hours.start].map((gap) => (gap + 24) % 24);
  return length === 0 || sinceOpening! < length!;
}

function faultOf(fate: Fate, seeded: Seeded): GleanerError {
  switch (fate) {
    case 'server_error':
      return new GleanerError('target_server_error', 'The target answered 503.');
    case 'refused':
      return new GleanerError('connect_failed', 'The connection was refused.');
    case 'throttled_until':
      return new GleanerError('rate_limited', 'Too many requests.', { retryAfterMs: seeded.int(1, 90) * 1_000 });
    case 'throttled':
      return new GleanerError('rate_limited', 'Too many requests.');
    default:
      return new GleanerError('target_client_error', 'The target answered 404.');
  }
}

const FAILURES = new Set(['target_server_error', 'connect_failed', 'task_timeout']);

function answerOf({ code, retryAfterMs }: GleanerError): Answered {
  if (code === 'rate_limited') return { failed: null, throttledMs: retryAfterMs ?? 0 };
  if (code === 'target_client_error') return { failed: false, throttledMs: null };
  return { failed: FAILURES.has(code) ? true : null, throttledMs: null };
}
