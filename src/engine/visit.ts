import { type Adapter, DEFAULT_FORMATS } from '../domain/adapter.js';
import { asGleanerError, GleanerError } from '../domain/errors.js';
import { selectFields } from '../domain/normalize/index.js';
import type { Page, PageVerdict, RefusalCode } from '../domain/page.js';
import { needsOwnBrowser } from '../domain/poison.js';
import { EMPTY_META, type Task, type VisitMeta } from '../domain/task.js';
import { type Detour, type Fetcher, isDetour } from '../ports/fetcher.js';
import type { VisitPlan } from '../ports/guard.js';
import type { Lack, PageReading, Reader, ReadingWish } from '../ports/reader.js';
import type { RoomForLeg } from './page-room.js';
import { adapterFor, hashOf, type ReaderParts } from './reader.js';
import { adapterFailed } from './reading.js';
import { type PictureParts, withPicture } from './visit-picture.js';

export interface VisitParts extends PictureParts, ReaderParts {
  fetchers: { http: Fetcher; browser: Fetcher };
  reader: Reader;
}

/** What one leg of a visit came to. `detour`: the page is at another URL, which must pass the guards by itself. */
export type VisitOutcome = Ending | Lacking | { kind: 'detour'; to: string; hops: number };

/** `record` is all that was read, `result` what was asked for, `html` the page, where one came. */
export type Ending = { html?: string; meta: VisitMeta } & (
  | { kind: 'completed'; record: Record<string, unknown>; result: Record<string, unknown> }
  | { kind: 'failed'; error: GleanerError }
);

/** Plain HTTP did not bring what the adapter needs; a browser may. `instead`: the end of the visit if none is asked. */
export interface Lacking extends Lack {
  kind: 'lacking';
  instead: Ending;
}

/** One leg of a visit whose guards have passed: fetch → judge → extract → normalize. Never rejects. */
export async function visit(
  parts: VisitParts,
  task: Task,
  plan: VisitPlan,
  { signal, room }: { signal: AbortSignal; room: RoomForLeg },
): Promise<VisitOutcome> {
  const meta: VisitMeta = { ...EMPTY_META, robots: plan.robots, proxy: plan.proxy?.id ?? null };
  try {
    const adapter = adapterFor(parts.adapters, task.targetType);
    meta.renderedBy = plan.needs;
    meta.adapter = adapter.targetType;
    meta.adapterVersion = adapter.version;
    const page = await fetchPage(parts, { plan, adapter, task, room }, signal);
    if (isDetour(page)) return { kind: 'detour', to: page.to, hops: page.hops };
    if (plan.url !== task.targetUrl) page.target = task.targetUrl;
    describe(meta, page);
    const { contentHash, lack, ...read } = await parts.reader
      .read(page, wishOf(parts, task, plan), signal)
      .catch((error) => {
        // Whoever looks into it wants to know whether the page has changed since.
        meta.contentHash = hashOf(page);
        throw error;
      });
    meta.contentHash = contentHash;
    const ending = { ...endingOf(read, page, { adapter, task, meta }), html: page.html };
    if (lack) return { kind: 'lacking', ...lack, instead: ending };
    return ending.kind === 'failed'
      ? ending
      : { ...ending, ...(await withPicture(ending, page, { task, parts, signal })) };
  } catch (error) {
    const failure = asGleanerError(error);
    const wall = failure.answer ? wallIn(parts.judgePage(failure.answer)) : null;
    if (wall && failure.answer) return turnedAway(wall, failure.answer, { task, plan, meta, failure });
    // A hop may have been refused by the rules of another origin.
    meta.robots = plan.robots;
    meta.httpStatus ??= failure.httpStatus ?? null;
    return { kind: 'failed', error: failure, meta };
  }
}

interface Errand {
  plan: VisitPlan;
  adapter: Adapter;
  task: Task;
  room: RoomForLeg;
}

function fetchPage(
  parts: VisitParts,
  { plan, adapter, task, room }: Errand,
  signal: AbortSignal,
): Promise<Page | Detour> {
  if (!plan.identity) throw new GleanerError('internal_error', 'The visit has no identity.');
  const { url, form, identity, proxy, mayFollow, pace, credential, engine } = plan;
  const screenshot = task.formats?.includes('screenshot') ?? false;
  const asked = {
    url,
    form,
    identity,
    proxy,
    waitFor: adapter.waitFor,
    engine,
    screenshot,
    mayFollow,
    pace,
    credential,
  };
  return parts.fetchers[plan.needs].fetch({ ...asked, alone: needsOwnBrowser(task), makeRoom: room.take }, signal);
}

const wishOf = ({ clock }: VisitParts, task: Task, plan: VisitPlan): ReadingWish => ({
  targetType: task.targetType,
  now: clock.now(),
  formats: task.formats ?? DEFAULT_FORMATS,
  mayEscalate: mayEscalate(task, plan),
});

const mayEscalate = (task: Task, plan: VisitPlan): boolean => task.render === 'auto' && plan.needs === 'http';

function describe(meta: VisitMeta, page: Page): void {
  meta.finalUrl = page.finalUrl;
  meta.httpStatus = page.httpStatus;
}

type Refusal = Extract<PageVerdict, { kind: 'refusal' }>;

/** A page that came with an error status says more than the status only where it is a wall. */
const wallIn = (verdict: PageVerdict): Refusal | null =>
  verdict.kind === 'refusal' && WALLS.has(verdict.code) ? verdict : null;

const WALLS: ReadonlySet<RefusalCode> = new Set(['blocked_page', 'login_wall', 'consent_wall']);

function turnedAway(
  wall: Refusal,
  page: Page,
  { task, plan, meta, failure }: { task: Task; plan: VisitPlan; meta: VisitMeta; failure: GleanerError },
): VisitOutcome {
  const { httpStatus } = failure;
  const error = refusal(wall, page, httpStatus === undefined ? {} : { httpStatus });
  describe(meta, page);
  meta.contentHash = hashOf(page);
  const ending: Ending = { kind: 'failed', error, meta: { ...meta, robots: plan.robots, pageSign: wall.sign } };
  if (!mayEscalate(task, plan) || wall.code !== 'blocked_page') return ending;
  return { kind: 'lacking', appearance: 'blocked', sign: wall.sign, instead: ending };
}

const REFUSALS: Record<RefusalCode, string> = {
  blocked_page: 'a block, challenge or captcha page',
  login_wall: 'a page that asks to sign in',
  consent_wall: 'a page that asks for consent',
  error_page: 'an error page, with a status of success',
  missing_page: 'a page that says there is none, with a status of success',
  empty_page: 'a page without content',
};

function refusal({ code, sign }: Refusal, page: Page, details: { httpStatus?: number } = {}): GleanerError {
  const { host } = new URL(page.finalUrl);
  return new GleanerError(code, `${host} answered with ${REFUSALS[code]} (${sign}).`, details);
}

interface ReadingOf {
  adapter: Adapter;
  task: Task;
  meta: VisitMeta;
}

/** What the page comes to as it is. */
function endingOf(
  { verdict, reading }: Pick<PageReading, 'verdict' | 'reading'>,
  page: Page,
  { adapter, task, meta }: ReadingOf,
): Ending {
  if (verdict.kind === 'refusal') {
    return { kind: 'failed', error: refusal(verdict, page), meta: { ...meta, pageSign: verdict.sign } };
  }
  if (!reading) return { kind: 'failed', error: adapterFailed(adapter), meta };
  const { record, ...about } = reading;
  const result = selectFields(record, task.requestedFields);
  const provenance = selectFields(about.provenance, task.requestedFields);
  return { kind: 'completed', record, result, meta: { ...meta, ...about, provenance } };
}
