// Inside, times are epoch milliseconds; on the wire they are ISO 8601.

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));
