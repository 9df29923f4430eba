import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type AdapterRegistry, fieldsOf } from '../domain/adapter.js';
import { type FieldFault, fieldError, MAX_FAULTS_PER_TARGET } from '../domain/errors.js';
import { formatFaults, settledWish } from '../domain/formats.js';
import { domainOf } from '../domain/registrable-domain.js';
import { checkUrl, type EgressAllow } from '../domain/target-url.js';
import type { Task, TaskSpec } from '../domain/task.js';
import type { NewId } from '../ports/clock.js';
import type { Caller } from './api.js';

export interface AdmissionRules {
  adapters: AdapterRegistry;
  egressAllow: EgressAllow;
}

/** Everything that can be known to be wrong before anything is queued; `prefix` says where in the request we are. */
export function faultsOf(spec: TaskSpec, rules: AdmissionRules, prefix = ''): FieldFault[] {
  return [
    ...typeFaults(spec, rules.adapters, prefix),
    ...urlFaults(`${prefix}target_url`, spec.targetUrl, rules.egressAllow),
    ...urlFaults(`${prefix}callback_url`, spec.callbackUrl, rules.egressAllow),
  ];
}

export function urlFaults(field: string, value: string | null, allow: EgressAllow): FieldFault[] {
  if (value === null) return [];
  const checked = checkUrl(value, allow);
  return 'fault' in checked ? [{ field, message: checked.fault, value }] : [];
}

/** By the names that callers know: `/workspaceId` is their `workspace_id`. */
export function schemaFaults(schema: TSchema, given: unknown): FieldFault[] {
  return [...Value.Errors(schema, given)].slice(0, MAX_FAULTS_PER_TARGET).map(({ path, message, value }) => ({
    field: path
      .slice(1)
      .replaceAll('/', '.')
      .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    message: `cannot be kept: ${message.toLowerCase()}`,
    value,
  }));
}

/** Throws one error that names every faulty field. */
export function refuseIfFaulty(faults: FieldFault[]): void {
  if (faults.length > 0) throw fieldError(faults);
}

function typeFaults(spec: TaskSpec, adapters: AdapterRegistry, prefix: string): FieldFault[] {
  const adapter = adapters.get(spec.targetType);
  if (!adapter) {
    const message = `must be one of ${adapters.types().join(', ')}`;
    return [{ field: `${prefix}target_type`, message, value: spec.targetType }];
  }
  const allowed = fieldsOf(adapter);
  const faults = (spec.requestedFields ?? []).flatMap((name, index) => {
    if (allowed.includes(name)) return [];
    const message = `must be one of ${allowed.join(', ')}`;
    return [{ field: `${prefix}requested_fields[${index}]`, message, value: name }];
  });
  return [...faults, ...formatFaults(spec, adapter, prefix)].slice(0, MAX_FAULTS_PER_TARGET);
}

interface TaskPlace {
  adapters: AdapterRegistry;
  newId: NewId;
  now: number;
  jobId: string | null;
  seq: number;
  jobSize: number;
}

export function newTask(spec: TaskSpec, caller: Caller, place: TaskPlace): Task {
  const adapter = place.adapters.get(spec.targetType);
  const wish = adapter ? settledWish(spec, adapter) : spec;
  // Field by field: a spread in so large an object costs more than everything else that is done with a new task.
  return {
    targetType: wish.targetType,
    targetUrl: wish.targetUrl,
    workspaceId: wish.workspaceId,
    requestedFields: wish.requestedFields,
    callbackUrl: wish.callbackUrl,
    render: wish.render,
    formats: wish.formats,
    id: place.newId(),
    jobId: place.jobId,
    seq: place.seq,
    jobSize: place.jobSize,
    domain: domainOf(spec.targetUrl),
    status: 'queued',
    attempts: 0,
    visits: 0,
    throttles: 0,
    crashes: 0,
    suspicion: null,
    notBefore: null,
    createdAt: place.now,
    startedAt: null,
    completedAt: null,
    result: null,
    error: null,
    code: null,
    meta: null,
    requestId: caller.requestId,
    traceparent: caller.traceparent,
  };
}
