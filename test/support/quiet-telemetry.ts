import type { Task } from '../../src/domain/task.js';
import type { AttemptedDelivery, AutoDecision, Log, SettledVisit, Telemetry } from '../../src/ports/telemetry.js';

/** Keeps what it was told, for tests that ask afterwards. */
export class QuietTelemetry implements Telemetry {
  readonly lines: { level: string; fields: object; message: string }[] = [];
  readonly visits: SettledVisit[] = [];
  readonly convicted: Task[] = [];
  readonly waits: { guard: string; waitMs: number }[] = [];
  readonly retired: string[] = [];
  readonly attempts: AttemptedDelivery[] = [];
  readonly decisions: AutoDecision[] = [];
  readonly notNeeded: string[] = [];
  readonly signs: (string | null)[] = [];
  readonly shed: string[] = [];
  escalations = 0;
  cancelled = 0;

  readonly log: Log = {
    debug: (fields, message) => this.keep('debug', fields, message),
    info: (fields, message) => this.keep('info', fields, message),
    warn: (fields, message) => this.keep('warn', fields, message),
    error: (fields, message) => this.keep('error', fields, message),
  };

  taskAccepted(): void {}
  workShed(reason: string): void {
    this.shed.push(reason);
  }
  taskCancelled(): void {
    this.cancelled += 1;
  }
  taskConvicted(task: Task): void {
    this.convicted.push(task);
  }
  visitSettled(visit: SettledVisit): void {
    this.visits.push(visit);
  }
  guardWaited(guard: string, waitMs: number): void {
    this.waits.push({ guard, waitMs });
  }
  autoDecided(_task: Task, decision: AutoDecision): void {
    this.decisions.push(decision);
  }
  escalated(_task: Task, sign: string | null): void {
    this.escalations += 1;
    this.signs.push(sign);
  }
  browserNotNeeded(_task: Task, found: string): void {
    this.notNeeded.push(found);
  }
  deliveryAttempted(attempted: AttemptedDelivery): void {
    this.attempts.push(attempted);
  }
  browserRetired(reason: string): void {
    this.retired.push(reason);
  }

  private keep(level: string, fields: object, message: string): void {
    this.lines.push({ level, fields, message });
  }
}
