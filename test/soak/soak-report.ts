import type { Finding, PromisedTask } from './accounts.js';
import { percentile, type Sample, slopePer100 } from './figures.js';
import type { Counters } from './resting.js';

export const PHASES = ['calm', 'faulty'] as const;
export type Phase = (typeof PHASES)[number];
type Way = 'http' | 'browser';
export type Measured = 'service' | 'tree';

export interface Latency {
  count: number;
  p50: number;
  p99: number;
}

export interface Memory {
  /** MB for each hundred tasks, once warm. */
  slope: number;
  /** Medians at the beginning and at the end of that time. */
  warmMb: number;
  lastMb: number;
}

export interface SoakReport {
  tasks: number;
  jobs: number;
  webhooks: number;
  refused: number;
  faults: ReadonlyMap<string, number>;
  memory: Record<Measured, Memory>;
  accept: Record<Phase, Latency>;
  wait: Record<Phase, Record<Way, Latency>>;
  counters: { before: Counters; after: Counters };
  findings: readonly Finding[];
}

export const latency = (ms: readonly number[]): Latency => ({
  count: ms.length,
  p50: percentile(ms, 0.5),
  p99: percentile(ms, 0.99),
});

const WARM_UP_SHARE = 0.2;
const AT_AN_END = 10;

export function memoryOf(samples: readonly Sample[]): Memory {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const middle = (some: readonly Sample[]): number =>
    percentile(
      some.map(({ mb }) => mb),
      0.5,
    );
  return { slope: slopePer100(warm), warmMb: middle(warm.slice(0, AT_AN_END)), lastMb: middle(warm.slice(-AT_AN_END)) };
}

export interface Wait {
  url: string;
  createdAt: number;
  waitMs: number;
}

/** How long tasks of healthy domains were queued, apart by what brought them and by what went on around them. */
export function waitsOf(
  waits: readonly Wait[],
  { tasks, hosts, faultyFrom }: { tasks: readonly PromisedTask[]; hosts: readonly string[]; faultyFrom: number },
): SoakReport['wait'] {
  const byBrowser = new Map(tasks.map(({ url, needsBrowser }) => [url, needsBrowser]));
  const healthy = waits.filter(({ url }) => hosts.includes(new URL(url).hostname));
  const of = (phase: Phase, way: Way): Latency => {
    const those = healthy.filter(({ url, createdAt }) => {
      return createdAt >= faultyFrom === (phase === 'faulty') && byBrowser.get(url) === (way === 'browser');
    });
    return latency(those.map(({ waitMs }) => waitMs));
  };
  const ofPhase = (phase: Phase) => ({ http: of(phase, 'http'), browser: of(phase, 'browser') });
  return { calm: ofPhase('calm'), faulty: ofPhase('faulty') };
}
