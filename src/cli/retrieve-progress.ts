import type { RetrievalCursor } from '../domain/retrieval.js';
import type { PlannedJob } from '../ports/plans.js';

export interface Progress {
  /** `isLast`: then it is shown in any case, and the line ends. */
  show(run: PlannedJob, isLast: boolean): void;
}

interface Screen {
  print: (line: string) => void;
  /** Set on a terminal: writes without ending the line. */
  rewrite?: ((text: string) => void) | null;
  now?: () => number;
}

/** Between two plain lines. */
const LINE_MS = 10_000;

/** On a terminal one line that is rewritten; elsewhere a line now and then. */
export function createProgress(first: PlannedJob, screen: Screen): Progress {
  const { print, rewrite = terminal(), now = Date.now } = screen;
  const begun = { at: now(), ended: first.ended };
  let lastLineAt = 0;
  let lastText = '';
  return {
    show(run, isLast) {
      const text = progressLine(run, { ended: run.ended - begun.ended, ms: now() - begun.at });
      if (rewrite) {
        // Spaces over what is left of a longer line before.
        rewrite(`\r${text.padEnd(lastText.length)}${isLast ? '\n' : ''}`);
      } else if (isLast || now() - lastLineAt >= LINE_MS) {
        print(text);
        lastLineAt = now();
      }
      lastText = text;
    },
  };
}

const terminal = (): ((text: string) => void) | null =>
  process.stdout.isTTY === true ? (text) => void process.stdout.write(text) : null;

/** `37/500  2.1/s  30 found, 6 no record, 1 failed  ETA 3m 41s`. */
export function progressLine({ job, ended, cursor }: PlannedJob, seen: { ended: number; ms: number }): string {
  const { success, noRecord, failed } = cursor as RetrievalCursor;
  const perSecond = seen.ms > 0 ? (seen.ended * 1_000) / seen.ms : 0;
  const left = job.counts.total - ended;
  const eta = left === 0 || perSecond === 0 ? '' : `  ETA ${duration(left / perSecond)}`;
  const counts = `${success} found, ${noRecord} no record, ${failed} failed`;
  return `${ended}/${job.counts.total}  ${perSecond.toFixed(1)}/s  ${counts}${eta}`;
}

export function summaryOf({ job, cursor }: PlannedJob): string {
  const { success, noRecord, failed, hasStopped, errors } = cursor as RetrievalCursor;
  const early = hasStopped ? ', ended early' : '';
  const codes = Object.entries(errors).map(([code, count]) => `${code} ${count}`);
  const why = failed > 0 && codes.length > 0 ? ` (attempts that failed: ${codes.join(', ')})` : '';
  return `${job.status}: ${success} found, ${noRecord} without a record, ${failed} failed${why}${early}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${whole % 60}s` : `${whole}s`;
}
