import { type Contestant, PAGES, type PageKind, type Target } from './contestants.js';
import { figure, flawOf, markdownTable, median, type Row, rowOf, times, verdict } from './figures.js';
import type { OwnRun } from './track.js';

/** What came of one contestant: its runs, and why others gave none. */
export interface Outcome {
  contestant: Contestant;
  runs: OwnRun[];
  faults: string[];
}

/** Table, ratios and verdicts of one page, as markdown. */
export function pageReport(kind: PageKind, outcomes: readonly Outcome[]): string {
  const entries = outcomes.map((outcome) => ({
    ...outcome,
    row: rowOf(outcome.contestant.name, outcome.runs, outcome.faults),
  }));
  const ours = entries.filter(({ contestant }) => contestant.isOurs);
  const peers = entries.filter(({ contestant }) => !contestant.isOurs);
  const verdicts = peers.flatMap(({ contestant, row }) =>
    (contestant.targets ?? []).flatMap((target) => ours.map((own) => `- ${judged(target, own.row, row)}`)),
  );
  return [
    `### ${PAGES[kind]}`,
    figuresTable(entries.map(({ row }) => row)),
    ratioTable(
      ours.map(({ row }) => row),
      peers.map(({ row }) => row),
    ),
    verdicts.join('\n'),
    ours.map(({ row, runs }) => `- ${whereCpuWent(row, runs)}`).join('\n'),
  ].join('\n\n');
}

function judged({ measure, bound }: Target, own: Row, peer: Row): string {
  const versus = `${own.name} against ${peer.name}`;
  const flaw = flawOf(own);
  if (measure === 'pace') return verdict({ about: versus, bound, measured: pace(own, peer), flaw });
  return verdict({ about: `${versus}, memory`, bound, measured: own.rssMb / peer.rssMb, isLimit: true, flaw });
}

const pace = (own: Row, peer: Row): number => own.pagesPerSecond / peer.pagesPerSecond;

const HEAD = [
  'contestant',
  'pages/s (min–max)',
  'p50 / p95 ms',
  'CPU ms a page',
  'of it Node',
  'peak RSS MB',
  'PSS MB',
  'requests a page',
  'failed',
  'noise',
];

const figuresTable = (rows: readonly Row[]): string => markdownTable(HEAD, rows.map(cells));

function cells(row: Row): string[] {
  if (!Number.isFinite(row.pagesPerSecond))
    return [row.name, `no result: ${row.faults[0]}`, ...HEAD.slice(2).map(() => '–')];
  return [
    row.name,
    `**${figure(row.pagesPerSecond)}** (${figure(row.slowest)}–${figure(row.fastest)})`,
    `${row.p50Ms.toFixed(0)} / ${row.p95Ms.toFixed(0)}`,
    figure(row.cpuMs),
    figure(row.nodeCpuMs),
    row.rssMb.toFixed(0),
    row.pssMb.toFixed(0),
    row.requests.toFixed(1),
    String(row.failed) + (row.faults.length > 0 ? `, ${row.faults.length} runs` : ''),
    `${(row.noise * 100).toFixed(0)} %`,
  ];
}

/** Times as fast as each peer; in brackets how many times the peer's CPU a page of ours would go into. */
function ratioTable(ours: readonly Row[], peers: readonly Row[]): string {
  const cell = (own: Row, peer: Row): string => `${times(pace(own, peer))} (${times(peer.cpuMs / own.cpuMs)})`;
  return markdownTable(
    ['pages/s against (by CPU a page)', ...ours.map(({ name }) => name)],
    peers.map((peer) => [peer.name, ...ours.map((own) => cell(own, peer))]),
  );
}

function whereCpuWent({ name, cpuMs }: Row, runs: readonly OwnRun[]): string {
  const service = median(runs.map(({ serviceCpuMs = 0 }) => serviceCpuMs));
  const client = median(runs.map(({ clientCpuMs = 0 }) => clientCpuMs));
  const ways = runs.map(({ renderedBy = {} }) => renderedBy).flatMap(Object.entries<number>);
  const count = (way: string): number => ways.filter(([name]) => name === way).reduce((sum, [, n]) => sum + n, 0);
  const came = [...new Set(ways.map(([way]) => way))].map((way) => `${count(way)} by ${way}`).join(', ');
  const parts = `service ${figure(service)}, client ${figure(client)}, Chromium ${figure(Math.max(0, cpuMs - service - client))}`;
  return `${name}: CPU ms a page: ${parts}; pages ${came}`;
}
