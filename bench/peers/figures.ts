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

/** `pace` is pages a second, `memory` peak RSS: what is compared, and by how much ours has to be more or may be. */
export interface Target {
  measure: 'pace' | 'memory';
  bound: number;
}

/** Times as many pages a second, or times as much memory. */
export function ratio({ measure }: Pick<Target, 'measure'>, ours: Row, peer: Row): number {
  return measure === 'pace' ? ours.pagesPerSecond / peer.pagesPerSecond : ours.rssMb / peer.rssMb;
}

/** One line: what was wanted, what came out, and whether that is enough. A page read wrongly is never enough. */
export function verdict(target: Target, ours: Row, peer: Row): string {
  const { measure, bound } = target;
  const measured = ratio(target, ours, peer);
  const isMet = measure === 'pace' ? measured >= bound : measured <= bound;
  const wish = measure === 'pace' ? `target ≥ ${times(bound)}` : `target ≤ ${times(bound)} of its memory`;
  const result = `${wish}: measured ${times(measured)} — ${isMet && isWhole(ours) ? 'reached' : 'not reached'}`;
  return `${ours.name} against ${peer.name}: ${result}${isWhole(ours) ? '' : ` (${flawOf(ours)})`}`;
}

const isWhole = ({ failed, faults }: Row): boolean => failed === 0 && faults.length === 0;
const flawOf = ({ failed, faults }: Row): string => (failed > 0 ? `${failed} pages failed` : faults[0]!);

/** Two digits that mean something, never more than two behind the point. */
export function times(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return `${value >= 10 ? value.toFixed(0) : value.toFixed(value >= 3 ? 1 : 2)}×`.replace(/(\.\d)0×$/, '$1×');
}

export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
