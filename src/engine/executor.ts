import { asGleanerError, GleanerError } from '../domain/errors.js';
import { companyOf } from '../domain/poison.js';
import { domainOf } from '../domain/registrable-domain.js';
import { EMPTY_META, type Task } from '../domain/task.js';
import type { Guard, VisitPlan } from '../ports/guard.js';
import type { Leg, QueueEntry } from '../ports/queue.js';
import { createPageRoom, type PageRoom, type RoomForLeg } from './page-room.js';
import { type Passage, passGuards } from './pass-guards.js';
import { type SettleParts, Settler } from './settle.js';
import { Solitude } from './solitude.js';
import { StoreTrouble } from './store-trouble.js';
import { type Ending, type VisitOutcome, type VisitParts, visit } from './visit.js';

export interface ExecutorParts extends VisitParts, SettleParts {
  guards: readonly Guard[];
  taskTimeoutMs: number;
  /** Bytes of long pages that may be in hand as text at the same time. */
  longPageBytes: number;
  /** The ending with what is to be kept of it as files, on the disk. */
  archive(task: Task, ending: Ending): Promise<Ending>;
  /** Was this domain added to the sites that a provider's credentials may go to? */
  isCredentialSite(provider: string, domain: string): boolean;
}

interface LegTools {
  plan: VisitPlan;
  signal: AbortSignal;
  room: RoomForLeg;
}

/** As many as browsers follow. */
const MAX_HOPS = 20;
/** How soon a task that must be alone looks again whether it can be. */
const SOLITUDE_PAUSE_MS = 250;

/** How a visit goes on: in which lane or with what, and where. */
interface NextLeg {
  task: Task;
  where: Partial<QueueEntry>;
  leg: Partial<Leg> & Pick<Leg, 'url' | 'spentMs'>;
}

/**
 * Takes what the queue hands out through one visit:
 *   1. read the task   2. guards   3. claim it in the store   4. visit   5. tell the guards   6. settle
 * From 2 to 6 it counts as at work. Of tasks that may have taken the service down one is at a time; one on which it died
 * again waits until nobody else is, and everybody else waits for it (`solitude.ts`).
 * A guard that says *wait* sends the entry back to its lane and holds the lane: nothing was written, nothing is held.
 * A visit that needs a browser after all, or whose page is at a URL that must pass the guards by itself, goes back to
 * the queue for its next leg, so that it waits for its token and its browser in the lanes like everybody else; in the
 * store it stays `running`, but not at work.
 */
export class Executor {
  private readonly parts: ExecutorParts;
  private readonly running = new Set<AbortController>();
  private readonly settler: Settler;
  private readonly solitude: Solitude;
  private readonly pages: PageRoom;
  private readonly trouble: StoreTrouble;

  constructor(parts: ExecutorParts) {
    this.parts = parts;
    this.settler = new Settler(parts);
    this.solitude = new Solitude(parts.clock);
    this.trouble = new StoreTrouble(parts);
    this.pages = createPageRoom(parts.longPageBytes);
  }

  averageDurationMs(): number {
    return this.settler.averageDurationMs();
  }

  /** What has not begun does not begin any more. */
  beginNothing(): void {
    this.solitude.close();
  }

  /** Ends every visit under way; each goes back to the queue without losing an attempt. */
  abortAll(how: { isCrash: boolean }): void {
    this.settler.stopWaiting(how);
    for (const controller of this.running) {
      controller.abort(new GleanerError('shutting_down', 'The service is stopping.'));
    }
  }

  /** For TaskQueue.start. Never rejects: a task that cannot even be settled stays for the next start. */
  async run(entry: QueueEntry): Promise<void> {
    try {
      await this.attempt(entry);
      this.trouble.isOver();
    } catch (error) {
      this.trouble.restAfter(error, entry);
    }
  }

  private async attempt(entry: QueueEntry): Promise<void> {
    const { store, queue, auto } = this.parts;
    const task = await store.task(entry.taskId);
    if (task?.status !== (entry.leg ? 'running' : 'queued')) return;

    const placed = auto.placed(entry, task);
    // Learnt since it was queued: it goes where it belongs, with its age, and nothing was spent.
    if (placed.needs !== entry.needs) return queue.add(placed);

    const leave = await this.solitude.enter(companyOf(task));
    if (!leave) return this.waitForSolitude(placed);
    try {
      await this.pass(placed, task);
    } finally {
      leave();
    }
  }

  /** From the guards to the end of the leg. */
  private async pass(entry: QueueEntry, task: Task): Promise<void> {
    const { guards, taskTimeoutMs } = this.parts;
    const plan = this.planFor(task, entry);
    const { controller, room, disarm } = this.openLeg(taskTimeoutMs - (entry.leg?.spentMs ?? 0));
    try {
      const passage = await passGuards(guards, plan, controller.signal);
      if (passage.kind === 'wait') return this.waitInLane(entry, passage);

      const claimed = await this.begin(entry, task, passage);
      if (companyOf(task) === 'nobody') this.tellOfTrial(task);
      if (claimed) await this.takeThrough(entry, claimed, passage, { plan, signal: controller.signal, room });
    } finally {
      disarm();
    }
  }

  /** From here on the task is `running` in the store: whatever happens, it must be settled. */
  private async takeThrough(
    entry: QueueEntry,
    task: Task,
    passage: Exclude<Passage, { kind: 'wait' }>,
    { plan, signal, room }: LegTools,
  ): Promise<void> {
    const { clock, auto } = this.parts;
    const begun = clock.mono();
    const spent = (): number => Math.round(clock.mono() - begun) + (entry.leg?.spentMs ?? 0);
    try {
      const outcome = auto.judged(await this.outcomeOf(entry, task, passage, { plan, signal, room }), {
        task,
        entry,
        plan,
      });
      if (outcome.kind === 'escalate') {
        const leg = { url: plan.url, plain: outcome.plain, spentMs: spent() };
        return await this.goOn(entry, { task, where: { needs: 'browser' }, leg });
      }
      if (outcome.kind === 'detour') return await this.detour(entry, task, { ...outcome, spentMs: spent() });
      await this.settler.settle(task, { outcome: await this.parts.archive(task, outcome), durationMs: spent() });
    } catch (error) {
      const meta = { ...EMPTY_META, robots: plan.robots };
      await this.settler.settle(task, {
        outcome: { kind: 'failed', error: asGleanerError(error), meta },
        durationMs: spent(),
      });
    }
  }

  /** `null`: cancelled while it waited. What the guards handed out is given back unless the visit starts or goes on. */
  private async begin(
    entry: QueueEntry,
    task: Task,
    passage: Exclude<Passage, { kind: 'wait' }>,
  ): Promise<Task | null> {
    const { store, clock } = this.parts;
    let begun: Task | null = null;
    try {
      if (!entry.leg) begun = await store.claim(task.id, clock.now());
      else if (await store.beginLeg({ taskId: task.id, visits: task.visits })) begun = task;
      return begun;
    } finally {
      if (!begun && passage.kind === 'go') passage.release();
    }
  }

  /** The clock of the whole leg: past it, fetchers drop everything they hold. */
  private openLeg(timeoutMs: number): { controller: AbortController; room: RoomForLeg; disarm: () => void } {
    const controller = new AbortController();
    const room = this.pages.open();
    this.running.add(controller);
    const cancelTimer = this.parts.clock.after(Math.max(0, timeoutMs), () => {
      controller.abort(new GleanerError('task_timeout', `The visit did not end within its time.`));
    });
    const disarm = (): void => {
      cancelTimer();
      this.running.delete(controller);
      room.leave();
    };
    return { controller, room, disarm };
  }

  private async outcomeOf(
    entry: QueueEntry,
    task: Task,
    passage: Exclude<Passage, { kind: 'wait' }>,
    { plan, signal, room }: LegTools,
  ): Promise<VisitOutcome> {
    if (passage.kind === 'no') {
      return { kind: 'failed', error: passage.error, meta: { ...EMPTY_META, robots: plan.robots } };
    }
    this.parts.auto.begins({ task, entry, plan });
    const outcome = await visit(this.parts, task, plan, { signal, room });
    for (const guard of this.parts.guards) guard.after?.(plan, { error: faultOf(outcome) });
    return outcome;
  }

  /** Whoever wonders why nothing else is visited finds the reason. */
  private tellOfTrial({ id, requestId, crashes }: Task): void {
    const fields = { request_id: requestId, task_id: id, crashes };
    this.parts.telemetry.log.info(fields, 'a task that may have taken the service down is visited alone');
  }

  private waitForSolitude(entry: QueueEntry): void {
    const { queue, clock, telemetry } = this.parts;
    telemetry.guardWaited('solitude', SOLITUDE_PAUSE_MS);
    queue.add({ ...entry, notBefore: clock.mono() + SOLITUDE_PAUSE_MS });
  }

  private waitInLane(entry: QueueEntry, wait: Extract<Passage, { kind: 'wait' }>): void {
    const { queue, clock, telemetry } = this.parts;
    telemetry.guardWaited(wait.guard, wait.until - clock.mono());
    const justThisOne = wait.holds === 'task';
    if (!justThisOne) queue.hold(entry.lane, wait.until, wait.expected);
    queue.add(justThisOne ? { ...entry, notBefore: wait.until } : entry);
  }

  /** The page is elsewhere: the visit goes on there, in that lane and with the guards asked about that URL. */
  private async detour(
    entry: QueueEntry,
    task: Task,
    { to, hops, spentMs }: { to: string; hops: number; spentMs: number },
  ): Promise<void> {
    const soFar = (entry.leg?.hops ?? 0) + hops;
    if (soFar > MAX_HOPS) {
      throw new GleanerError('too_many_redirects', `The page redirects more than ${MAX_HOPS} times.`);
    }
    const where = { lane: this.parts.laneOf(to) };
    await this.goOn(entry, { task, where, leg: { url: to, hops: soFar, spentMs } });
  }

  /** Back to the queue for the next leg of the same visit. */
  private async goOn(entry: QueueEntry, { task, where, leg }: NextLeg): Promise<void> {
    const { store, queue } = this.parts;
    const { hops = 0, plain = null } = entry.leg ?? {};
    // Where the store cannot take it the task counts as at work though it waits: at worst it is suspected.
    await store.endLeg({ taskId: task.id, visits: task.visits }).catch(() => undefined);
    // Whoever resumed its run meanwhile may have queued it once more, from its beginning.
    queue.remove(task.id);
    queue.add({ ...entry, ...where, leg: { hops, plain, ...leg }, isProbe: false, notBefore: 0 });
  }

  private planFor(task: Task, { needs, leg }: QueueEntry): VisitPlan {
    const url = leg?.url ?? task.targetUrl;
    const domain = domainOf(url);
    return {
      taskId: task.id,
      url,
      // Where the answer to a form has led is a page like any other.
      form: (url === task.targetUrl && this.parts.adapters.get(task.targetType)?.form) || null,
      domain,
      workspaceId: task.workspaceId,
      needs,
      engine: null,
      provider: this.providerAt(domain, task),
      robots: null,
      mayFollow: null,
      credential: null,
      pace: null,
      proxy: null,
      identity: null,
      earlier: leg?.plain?.domain === domain ? leg.plain.visitor : null,
    };
  }

  /**
   * Whoever makes a task names any URL and any workspace: only the provider's own sites get to see the credentials, and
   * only those a task was made for, so that no other site can lead a visit there in the workspace's name.
   */
  private providerAt(domain: string, task: Task): string | null {
    const provider = this.parts.adapters.get(task.targetType)?.provider;
    if (!provider || domain !== task.domain) return null;
    const isItsSite = provider.sites.includes(domain) || this.parts.isCredentialSite(provider.name, domain);
    return isItsSite ? provider.name : null;
  }
}

/** What the guards hear: the fault of the page, also of one that a browser will look at once more. */
function faultOf(outcome: VisitOutcome): GleanerError | null {
  const ending = outcome.kind === 'lacking' ? outcome.instead : outcome;
  return ending.kind === 'failed' ? ending.error : null;
}
