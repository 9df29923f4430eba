import type { FieldSource, Format, PageNote } from './adapter.js';
import type { ErrorCode } from './errors.js';
import type { KeptFiles, LastError } from './outcome.js';
import type { Suspicion } from './poison.js';
import type { RobotsEvidence } from './robots.js';

/**
 *            claim               settle
 *  queued ───────────▶ running ─────────▶ completed | failed
 *    │  ▲                 │
 *    │  └── retry, 429, restart ──┘
 *    └──────▶ cancelled   (only from queued: running work is never torn down)
 */
export const TASK_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const RENDER_MODES = ['auto', 'http', 'browser'] as const;
export type RenderMode = (typeof RENDER_MODES)[number];

/** What a caller asks for: one URL, what kind of page it is, and how to bring it. */
export interface TaskSpec {
  targetType: string;
  targetUrl: string;
  workspaceId: string;
  requestedFields: string[] | null;
  callbackUrl: string | null;
  render: RenderMode;
  /** What content to bring, for adapters that offer a choice; `null` leaves it to the adapter. */
  formats: Format[] | null;
}

/** How a result came to be, for whoever must judge or debug it. */
export interface VisitMeta {
  renderedBy: 'http' | 'browser' | null;
  finalUrl: string | null;
  httpStatus: number | null;
  durationMs: number | null;
  adapter: string | null;
  adapterVersion: string | null;
  contentHash: string | null;
  robots: RobotsEvidence | null;
  proxy: string | null;
  /** `partial`: the key field is missing, or something found could not be made valid. `empty`: nothing of the kind is there. */
  quality: Quality | null;
  /** Why the record says what it says, per field that is not null. */
  provenance: Record<string, FieldSource>;
  /** Fields that were found but could not be made valid. */
  dropped: string[];
  /** What the page is, if not one item of the wanted kind. */
  notes: PageNote[];
  /** What a page that is not the content was known by. */
  pageSign: string | null;
  /** Why it was visited before in vain. */
  lastError: LastError | null;
  /** What a planned job keeps of it. */
  files: KeptFiles | null;
}

export type Quality = 'ok' | 'partial' | 'empty';

export const EMPTY_META: VisitMeta = {
  renderedBy: null,
  finalUrl: null,
  httpStatus: null,
  durationMs: null,
  adapter: null,
  adapterVersion: null,
  contentHash: null,
  robots: null,
  proxy: null,
  quality: null,
  provenance: {},
  dropped: [],
  notes: [],
  pageSign: null,
  lastError: null,
  files: null,
};

/** Times are epoch milliseconds; the door prints them as ISO 8601. */
export interface Task extends TaskSpec {
  id: string;
  jobId: string | null;
  /** Place within its job, 0-based. */
  seq: number;
  domain: string;
  /** How many tasks its job has; 0 for a standalone task. Smaller goes first. */
  jobSize: number;
  status: TaskStatus;
  /** Visits that count against the retry limit: begun, and not ended by a 429. */
  attempts: number;
  /** Visits begun, ever: the fencing token a settle must show. */
  visits: number;
  /** 429 answers in a row. */
  throttles: number;
  /** How often its browser or the service died while nothing else was at work there. */
  crashes: number;
  /** What died while it was at work in company. */
  suspicion: Suspicion | null;
  /** Queued: not visited before. Failed: when asking again makes sense, where the fault said so. */
  notBefore: number | null;
  createdAt: number;
  startedAt: number | null;
  completedAt: number | null;
  result: Record<string, unknown> | null;
  error: string | null;
  code: ErrorCode | null;
  meta: VisitMeta | null;
  /** The request that submitted it, so that its log lines can be found from the caller's side. */
  requestId: string;
  traceparent: string | null;
}

export const isTerminal = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
