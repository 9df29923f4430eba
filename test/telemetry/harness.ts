import type { Task } from '../../src/domain/task.js';
import type { SettledVisit } from '../../src/ports/telemetry.js';
import { createTelemetry, type TelemetryOptions } from '../../src/telemetry.js';

export const BOOT_ID = 'boot-0001';

/** The real telemetry, writing into a list instead of standard output. */
export function listeningTelemetry(options: Partial<TelemetryOptions> = {}) {
  const lines: string[] = [];
  const parts = createTelemetry({
    level: 'trace',
    bootId: BOOT_ID,
    destination: { write: (line) => void lines.push(line) },
    processMetrics: false,
    ...options,
  });
  return { ...parts, lines, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

export function taskOf(change: Partial<Task> = {}): Task {
  return {
    id: 'task-1',
    jobId: null,
    seq: 0,
    domain: 'example.com',
    jobSize: 0,
    targetType: 'job_posting',
    targetUrl: 'https://example.com/jobs/1',
    workspaceId: 'workspace-1',
    requestedFields: null,
    callbackUrl: null,
    render: 'auto',
    formats: null,
    status: 'completed',
    attempts: 1,
    visits: 1,
    throttles: 0,
    crashes: 0,
    suspicion: null,
    notBefore: null,
    createdAt: 1_000,
    startedAt: 2_500,
    completedAt: 3_000,
    result: null,
    error: null,
    code: null,
    meta: null,
    requestId: 'request-1',
    traceparent: null,
    ...change,
  };
}

export function visitOf(change: Partial<SettledVisit> = {}): SettledVisit {
  return {
    task: taskOf(),
    end: 'completed',
    code: null,
    reason: null,
    durationMs: 500,
    proxyUsed: 'direct',
    renderedBy: 'http',
    fieldsExtracted: ['title'],
    ...change,
  };
}
