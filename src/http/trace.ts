import type { IncomingHttpHeaders } from 'node:http';

/** The caller's W3C trace context, checked: what is not exactly well formed is treated as absent. */
export interface Trace {
  traceparent: string;
  traceId: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{1,200})?$/;

export function readTrace(header: string | string[] | undefined): Trace | null {
  if (typeof header !== 'string') return null;
  const match = TRACEPARENT.exec(header);
  if (match === null) return null;
  const [, version, traceId, parentId, rest] = match;
  // Version 00 has exactly four parts; later versions may append some; ff and all-zero ids are invalid by definition.
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (/^0+$/.test(traceId!) || /^0+$/.test(parentId!)) return null;
  return { traceparent: header, traceId: traceId! };
}

/** What the log lines of a request say of its trace. */
export function traceBindings(headers: IncomingHttpHeaders): { trace_id?: string } {
  const trace = readTrace(headers.traceparent);
  return trace === null ? {} : { trace_id: trace.traceId };
}
