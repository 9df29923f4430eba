/**
 * Who goes first. Every task has a fixed key: when it came, plus a handicap that grows with the size of its job.
 * Smallest key first. Since all keys age at the same pace, the order of two waiting tasks never changes (a heap stays
 * valid), and since the handicap is finite, a task of the largest job is overtaken only by what arrives within it:
 * nothing starves. A standalone task has none; a job of 100 gives way for 200 s, one of 100,000 for 8 minutes.
 */
const HANDICAP_MS = 30_000;

export const priorityKey = (since: number, jobSize: number): number => since + HANDICAP_MS * Math.log2(1 + jobSize);
