import type { FindingKind } from './accounts.js';
import type { CrashReport } from './crash-books.js';
import { KINDS, type Kind } from './strikes.js';

/** What a run came to, for a person. */
export function crashTable(report: CrashReport): string {
  const { slowest } = report;
  const found = (...kinds: FindingKind[]): number => report.findings.filter(({ kind }) => kinds.includes(kind)).length;
  const kills = [...report.kinds].sort(([a], [b]) => a.localeCompare(b));
  const rows: [string, string | number][] = [
    ...kills.map(([kind, count]): [string, number] => [`${kind} ${KINDS[kind as Kind]}`, count]),
    ['kills', kills.reduce((sum, [, count]) => sum + count, 0)],
    ['tasks (in jobs or alone)', report.tasks],
    ['jobs', report.jobs],
    ['webhooks received', report.webhooks],
    ['submits sent again', report.resent],
    ['lost', found('lost')],
    ['doubled', found('doubled')],
    ['ends that changed', found('changed')],
    ['refetched for being in flight', report.refetched],
    ['refetched without need', found('refetched')],
    ['attempts counted wrongly', found('attempts')],
    ['sound pages that failed', found('spoilt')],
    ['sound pages taken down three times', report.wornOut],
    ['processes or files left', found('left')],
    ['integrity ok', `${report.integrityOk}/${report.integrityChecks}`],
    ['other faults', found('broken')],
    ['slowest boot', seconds(slowest.boot)],
    ['slowest resume', seconds(slowest.resume)],
    ['slowest end of the last Chromium', seconds(slowest.gone)],
    ['slowest end of a browser that hung', seconds(slowest.browserHung)],
    ['slowest end of a renderer that hung', seconds(slowest.rendererHung)],
    ['slowest refill of the pool', seconds(slowest.refill)],
    ['slowest stop', seconds(slowest.stop)],
  ];
  return table(rows);
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

export function table(rows: readonly (readonly [string, string | number])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
