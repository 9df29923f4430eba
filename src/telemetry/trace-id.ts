const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace a W3C `traceparent` belongs to; `undefined` when it is absent or not well formed. */
export function traceIdOf(traceparent: string | null): string | undefined {
  const match = TRACEPARENT.exec(traceparent ?? '');
  // Version 00 has exactly four parts; later versions may append more.
  if (match === null || (match[1] === '00' && match[3] !== undefined)) return undefined;
  return match[2];
}
