/** What one run of a contestant gave. CPU and requests are per page. */
export interface Run {
  pagesPerSecond: number;
  p50Ms: number;
  p95Ms: number;
  failed: number;
  cpuMs: number;
  /** Of `cpuMs`: what the Node processes used; the rest is Chromium's. */
  nodeCpuMs: number;
  rssMb: number;
  pssMb: number;
  requests: number;
  /** Share of the machine's CPU that neither the contestant nor the site had. */
  noise: number;
}

/** What all rounds of a contestant come to. */
export interface Row extends Run {
  name: string;
  slowest: number;
  fastest: number;
  /** Why rounds gave nothing, if any did not. */
  faults: string[];
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  const lower = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Medians of every figure; failures are added up, for one is one too many in whichever round. */
export function rowOf(name: string, runs: readonly Run[], faults: string[] = []): Row {
  const middle = (key: keyof Run): number => median(runs.map((run) => run[key]));
  const rates = runs.map(({ pagesPerSecond }) => pagesPerSecond);
  return {
    name,
    pagesPerSecond: middle('pagesPerSecond'),
    slowest: Math.min(...rates),
    fastest: Math.max(...rates),
    p50Ms: middle('p50Ms'),
    p95Ms: middle('p95Ms'),
    failed: runs.reduce((sum, { failed }) => sum + failed, 0),
    cpuMs: middle('cpuMs'),
    nodeCpuMs: middle('nodeCpuMs'),
    rssMb: middle('rssMb'),
    pssMb: middle('pssMb'),
    requests: middle('requests'),
    noise: middle('noise'),
    faults,
  };
}

/** What is claimed of ours beside a peer, as times the peer's. */
export interface Claim {
  about: string;
  bound: number;
  measured: number;
  /** The bound is the most that ours may be, not the least that it has to be. */
  isLimit?: boolean;
  /** Why the measurement cannot count for us, whatever it says. */
  flaw?: string | null;
}

/** One line: what was wanted, what came out, and whether that is enough. */
export function verdict({ about, bound, measured, isLimit = false, flaw = null }: Claim): string {
  const isMet = flaw === null && (isLimit ? measured <= bound : measured >= bound);
  const wish = `target ${isLimit ? '≤' : '≥'} ${times(bound)}`;
  const reason = flaw === null ? '' : ` (${flaw})`;
  return `${about}: ${wish}: measured ${times(measured)} — ${isMet ? 'reached' : 'not reached'}${reason}`;
}

/** A page read wrongly, or a run that gave nothing, spoils a row of ours. */
export function flawOf({ failed, faults }: Row): string | null {
  if (failed > 0) return `${failed} pages failed`;
  return faults[0] ?? null;
}

/** Two digits behind the point are more than a noisy machine can mean; past ten none. */
export function times(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return `${Number(value.toFixed(value >= 10 ? 0 : 2))}×`;
}

export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
