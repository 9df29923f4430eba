import { afterEach, beforeEach } from 'vitest';
import type { Delivery } from '../../src/domain/delivery.js';
import { GleanerError } from '../../src/domain/errors.js';
import type { Engine } from '../../src/engine/engine.js';
import type { Deliveries } from '../../src/ports/deliveries.js';
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../src/ports/webhook-sender.js';
import { type HarnessOptions, openEngine } from '../support/engine-harness.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { openTempStore, type TempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

export const HOOK = 'https://hooks.example.com/gleaner';
export const ORIGIN = 'https://hooks.example.com';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export interface Call extends WebhookRequest {
  /** Monotonic ms. */
  at: number;
}

export const answer = (status: number, retryAfterMs?: number): WebhookAnswer => ({ status, retryAfterMs });

/** A receiver that takes the request and says nothing until the signal ends it. */
export const silence = (_call: Call, signal: AbortSignal): Promise<WebhookAnswer> =>
  new Promise((_, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** A receiver that is not there. */
export const refuse = (): never => {
  throw new GleanerError('connect_failed', 'The connection to hooks.example.com failed (ECONNREFUSED).');
};

/** The real engine on the real store under a virtual clock; only what receivers answer is told by the test. */
export class WebhookHarness {
  clock = new VirtualClock();
  opened!: TempStore;
  engine!: Engine;
  telemetry = new QuietTelemetry();
  calls: Call[] = [];
  respond: (call: Call, signal: AbortSignal) => WebhookAnswer | Promise<WebhookAnswer> = () => answer(200);
  private submitted = 0;

  readonly send: WebhookSender['send'] = async (request, signal) => {
    const call = { ...request, at: this.clock.mono() };
    this.calls.push(call);
    return this.respond(call, signal);
  };

  /** An engine that has not started yet. */
  make(options: Partial<HarnessOptions> = {}): void {
    const parts = { resultTtlMs: 100 * 24 * HOUR };
    const { clock, send } = this;
    ({ engine: this.engine, telemetry: this.telemetry } = openEngine({
      ...this.opened,
      clock,
      send,
      parts,
      ...options,
    }));
  }

  async boot(options: Partial<HarnessOptions> = {}): Promise<void> {
    this.make(options);
    await this.engine.start();
  }

  async stop(graceMs = 0): Promise<void> {
    const stopping = this.engine.stop(graceMs);
    await this.clock.advance(graceMs);
    await stopping;
  }

  /** As a restart of the process does; with a ledger that differs from the real one as told. */
  async restart(changed: (real: Deliveries) => Partial<Deliveries> = () => ({})): Promise<void> {
    await this.stop();
    await this.opened.reopen();
    const real = this.opened.deliveries;
    await this.boot({ deliveries: { ...real, ...changed(real) } });
  }

  /** A task that is visited at once and told of there. */
  submit(callbackUrl: string | null = HOOK): Promise<{ id: string }> {
    const targetUrl = `https://jobs.example.com/${this.submitted++}`;
    return this.engine.submit(aSpec({ callbackUrl, targetUrl }), CALLER);
  }

  async deliveries(): Promise<Delivery[]> {
    return (await this.engine.webhooks.list({}, { limit: 500, cursor: null })).items;
  }

  async first(): Promise<Delivery> {
    return (await this.deliveries()).at(-1) as Delivery;
  }
}

/** A harness for each test of the file; its engine is running unless told otherwise. */
export function useWebhooks({ isBooted = true } = {}): WebhookHarness {
  const harness = new WebhookHarness();
  beforeEach(async () => {
    Object.assign(harness, new WebhookHarness(), { send: harness.send });
    harness.opened = await openTempStore();
    if (isBooted) await harness.boot();
  });
  afterEach(async () => {
    await harness.stop();
    await harness.opened.end();
  });
  return harness;
}
