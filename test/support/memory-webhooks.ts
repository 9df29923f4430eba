import { randomUUID } from 'node:crypto';
import type { Delivery, DeliveryAttempt } from '../../src/domain/delivery.js';
import { GleanerError } from '../../src/domain/errors.js';
import type { EgressAllow } from '../../src/domain/target-url.js';
import { refuseIfFaulty, urlFaults } from '../../src/engine/admission.js';
import type { DeliveryReport, WebhookApi } from '../../src/engine/api.js';
import type { Clock } from '../../src/ports/clock.js';
import type { DeliveryFilter } from '../../src/ports/deliveries.js';
import { pageOf } from './memory-page.js';

/** The ledger's twin: nothing is sent. The test fills it (`add`) and says what a ping comes to (`answer`). */
export class MemoryWebhooks implements WebhookApi {
  broken: unknown;
  /** How receivers answer a ping. */
  answer: Pick<DeliveryAttempt, 'status' | 'error'> = { status: 204, error: null };
  private readonly reports = new Map<string, DeliveryReport>();

  constructor(
    private readonly clock: Clock,
    private readonly egressAllow: EgressAllow,
  ) {}

  add(changes: Partial<Delivery> = {}, attempts: DeliveryAttempt[] = []): Delivery {
    const url = changes.url ?? 'https://hooks.example.com/in/CANARY-cb-s3cr3t-path?token=CANARY-cb-s3cr3t-query';
    const delivery: Delivery = {
      id: randomUUID(),
      event: 'task.completed',
      jobId: null,
      taskId: randomUUID(),
      url,
      receiver: new URL(url).origin,
      status: 'pending',
      attempts: attempts.length,
      failures: attempts.filter(({ error }) => error !== null).length,
      round: 0,
      nextAttemptAt: this.clock.now(),
      createdAt: this.clock.now(),
      endedAt: null,
      lastStatus: attempts.at(-1)?.status ?? null,
      lastError: attempts.at(-1)?.error ?? null,
      ...changes,
    };
    this.reports.set(delivery.id, { delivery, attempts });
    return delivery;
  }

  list: WebhookApi['list'] = async (filter, page) => pageOf(this.matching(filter).reverse(), page);

  async report(id: string): Promise<DeliveryReport> {
    this.refuseIfBroken();
    const report = this.reports.get(id);
    if (!report) throw new GleanerError('delivery_not_found', 'No delivery has this id.');
    return report;
  }

  async redeliver(id: string): Promise<Delivery> {
    const { delivery } = await this.report(id);
    const nextAttemptAt = this.clock.now();
    return Object.assign(delivery, { status: 'pending', failures: 0, nextAttemptAt, endedAt: null });
  }

  redeliverAll: WebhookApi['redeliverAll'] = async (filter) => {
    const matching = this.matching(filter);
    for (const { id } of matching) await this.redeliver(id);
    return matching.length;
  };

  async ping(url: string): Promise<DeliveryReport> {
    this.refuseIfBroken();
    refuseIfFaulty(urlFaults('url', url, this.egressAllow));
    const now = this.clock.now();
    const attempt = { attempt: 1, startedAt: now, durationMs: 12, ...this.answer };
    const status = attempt.error === null ? 'delivered' : 'dead';
    const ending = { status, nextAttemptAt: null, endedAt: now } as const;
    return this.report(this.add({ event: 'ping', taskId: null, url, ...ending }, [attempt]).id);
  }

  private matching(filter: DeliveryFilter): Delivery[] {
    this.refuseIfBroken();
    const { jobId, taskId, status, receiver, since } = filter;
    return [...this.reports.values()]
      .map(({ delivery }) => delivery)
      .filter((one) => jobId === undefined || one.jobId === jobId)
      .filter((one) => taskId === undefined || one.taskId === taskId)
      .filter((one) => status === undefined || one.status === status)
      .filter((one) => receiver === undefined || one.receiver === receiver)
      .filter((one) => since === undefined || one.createdAt >= since);
  }

  private refuseIfBroken(): void {
    if (this.broken !== undefined) throw this.broken;
  }
}
