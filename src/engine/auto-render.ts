import type { AdapterRegistry } from '../domain/adapter.js';
import { glimpseOf, saysMore } from '../domain/glimpse.js';
import { isRefusalCode } from '../domain/page.js';
import { domainOf } from '../domain/registrable-domain.js';
import type { Beginning, Ground, Lesson, RenderExperience } from '../domain/render-experience.js';
import type { Task } from '../domain/task.js';
import type { Clock } from '../ports/clock.js';
import type { VisitPlan } from '../ports/guard.js';
import type { PlainLeg, QueueEntry } from '../ports/queue.js';
import type { Telemetry } from '../ports/telemetry.js';
import type { Ending, Lacking, VisitOutcome } from './visit.js';

export interface AutoRenderParts {
  experience: RenderExperience;
  adapters: AdapterRegistry;
  clock: Clock;
  telemetry: Telemetry;
}

/** A browser shall go on where plain HTTP was not enough. */
export interface Escalation {
  kind: 'escalate';
  plain: PlainLeg;
}

/** What is about to be visited, and as what it was queued. */
interface Leg {
  task: Task;
  entry: QueueEntry;
  plan: VisitPlan;
}

/** Puts the experience with `render: auto` into effect, and adds to it. Tasks that name their way are left alone. */
export class AutoRender {
  constructor(private readonly parts: AutoRenderParts) {}

  /** Whose slots a task that is queued now will need, as far as is known. */
  needsOf(task: Pick<Task, 'render' | 'targetType' | 'targetUrl'>): QueueEntry['needs'] {
    if (task.render !== 'auto') return task.render;
    return this.parts.experience.needs(groundOf(task, task.targetUrl), this.parts.clock.mono());
  }

  /** The entry as its visit shall begin: much may have been learnt since it was queued. */
  placed(entry: QueueEntry, task: Task): QueueEntry {
    if (!isOpen(task, entry) || entry.isProbe) return entry;
    const { experience, clock } = this.parts;
    const beginning = experience.beginning(groundOf(task, entry.leg?.url ?? task.targetUrl), clock.mono());
    const needs = beginning === 'straight_to_browser' ? 'browser' : 'http';
    return { ...entry, needs, isProbe: beginning === 'reprobe_http' };
  }

  /** The guards have passed, and the fetch begins. */
  begins({ task, entry, plan }: Leg): void {
    if (!isOpen(task, entry)) return;
    const beginning = beginningOf(entry);
    this.parts.telemetry.autoDecided(task, beginning);
    if (beginning === 'straight_to_browser') this.parts.experience.wentStraight(groundOf(task, plan.url));
  }

  /** How the visit goes on after this leg; what there is to learn from it is learnt. */
  judged(outcome: VisitOutcome, leg: Leg): Exclude<VisitOutcome, Lacking> | Escalation {
    if (outcome.kind === 'lacking') return this.goOn(outcome, leg);
    if (leg.task.render === 'auto' && outcome.kind !== 'detour') this.learnFrom(outcome, leg);
    return outcome;
  }

  private goOn({ appearance, sign, instead }: Lacking, { task, plan }: Leg): Ending | Escalation {
    const { experience, telemetry, clock } = this.parts;
    const how = experience.continuation(groundOf(task, plan.url), appearance, clock.mono());
    if (how !== 'escalate') telemetry.autoDecided(task, how);
    if (how === 'kept_on_http') return instead;
    telemetry.escalated(task, sign);
    const { domain, identity, proxy } = plan;
    return {
      kind: 'escalate',
      plain: { domain, appearance, glimpse: this.glimpseOf(instead, task), visitor: identity && { identity, proxy } },
    };
  }

  private learnFrom(outcome: Ending, { task, entry, plan }: Leg): void {
    const { telemetry } = this.parts;
    const plain = entry.leg?.plain ?? null;
    if (plain) {
      const lesson = this.comparison(plain, outcome, task);
      if (lesson) this.learn({ domain: plain.domain, targetType: task.targetType }, lesson);
      if (lesson?.kind === 'brought_no_more') telemetry.browserNotNeeded(task, 'brought_no_more');
    } else if (plan.needs === 'http' && outcome.kind === 'completed') {
      this.learn(groundOf(task, plan.url), { kind: 'enough' });
      if (entry.isProbe) telemetry.browserNotNeeded(task, 'http_is_enough');
    } else if (plan.needs === 'browser' && outcome.kind === 'failed' && isRefusalCode(outcome.error.code)) {
      this.parts.experience.wasTurnedAway(groundOf(task, plan.url));
    }
  }

  private learn(ground: Ground, lesson: Lesson): void {
    this.parts.experience.learn(ground, lesson, this.parts.clock.mono());
  }

  /** `null`: no page came, so nobody knows what would have been on it. */
  private comparison({ appearance, glimpse }: PlainLeg, outcome: Ending, task: Task): Lesson | null {
    if (outcome.kind === 'failed') {
      return isRefusalCode(outcome.error.code) ? { kind: 'brought_no_more', appearance } : null;
    }
    const later = this.glimpseOf(outcome, task);
    const isMore = glimpse === null || (later !== null && saysMore(later, glimpse));
    return { kind: isMore ? 'helped' : 'brought_no_more', appearance };
  }

  private glimpseOf(ending: Ending, task: Task): PlainLeg['glimpse'] {
    const adapter = this.parts.adapters.get(task.targetType);
    return ending.kind === 'completed' && adapter ? glimpseOf(ending.record, adapter.keyField) : null;
  }
}

/** May experience still say how the visit begins? Not where a browser has been called for already. */
const isOpen = (task: Task, entry: QueueEntry): boolean => task.render === 'auto' && !entry.leg?.plain;

function beginningOf({ isProbe, needs }: QueueEntry): Beginning {
  if (isProbe) return 'reprobe_http';
  return needs === 'browser' ? 'straight_to_browser' : 'http_first';
}

const groundOf = ({ targetType }: Pick<Task, 'targetType'>, url: string): Ground => ({
  domain: domainOf(url),
  targetType,
});
