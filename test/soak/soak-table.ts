import type { FindingKind } from './accounts.js';
import { table } from './crash-table.js';
import { type Latency, type Memory, PHASES, type SoakReport } from './soak-report.js';

/** What a soak came to, for a person. */
export function soakTable(report: SoakReport): string {
  const { memory, accept, wait } = report;
  const found = (...kinds: FindingKind[]): number => report.findings.filter(({ kind }) => kinds.includes(kind)).length;
  const faults = [...report.faults].sort(([a], [b]) => a.localeCompare(b));
  return table([
    ...faults.map(([name, count]): [string, number] => [`fault: ${name}`, count]),
    ['faults injected', faults.reduce((sum, [, count]) => sum + count, 0)],
    ['tasks', report.tasks],
    ['jobs', report.jobs],
    ['webhooks received', report.webhooks],
    ['submits refused for a while (503)', report.refused],
    ['lost', found('lost')],
    ['doubled', found('doubled', 'changed', 'refetched')],
    ['leaked', found('left')],
    ['sound pages that failed', found('spoilt')],
    ['other faults', found('broken', 'attempts')],
    ['RSS of the service', growth(memory.service)],
    ['RSS of the service and its browsers', growth(memory.tree)],
    ...PHASES.map((phase): [string, string] => [`accept, ${phase}`, spread(accept[phase])]),
    ...PHASES.flatMap((phase) =>
      (['http', 'browser'] as const).map((way): [string, string] => [
        `queue wait of healthy domains, ${way}, ${phase}`,
        spread(wait[phase][way]),
      ]),
    ),
    ...Object.entries(report.counters.after).map(([name, count]): [string, string] => [
      `at rest: ${name}`,
      `${count} (${report.counters.before[name] ?? 0} before)`,
    ]),
  ]);
}

const spread = ({ p50, p99, count }: Latency): string =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (${count})`;

const growth = ({ slope, warmMb, lastMb }: Memory): string =>
  `${slope.toFixed(2)} MB per 100 tasks (${warmMb.toFixed(0)} MB when warm, ${lastMb.toFixed(0)} MB at the end)`;
