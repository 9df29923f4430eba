/**
 * Compares what callers were promised with what the store, the website and the receivers know. Pure: rows in, findings
 * out. Every task of a run has a URL of its own, so that one request at the website belongs to one task.
 */
export interface PromisedTask {
  id: string;
  url: string;
  jobId: string | null;
  /** A page that is well: but for our own faults its visit must succeed. */
  isSound: boolean;
  /** Its own end is told to a receiver that lives. */
  isTold: boolean;
  /** Brought by a browser, and by nothing else. */
  needsBrowser: boolean;
  /** Documents that one visit may ask for: two where plain HTTP is tried before a browser. */
  requestsPerVisit: number;
}

export interface PromisedJob {
  id: string;
  isTold: boolean;
}

export interface Promised {
  tasks: readonly PromisedTask[];
  jobs: readonly PromisedJob[];
}

export interface StoredTask {
  id: string;
  url: string;
  jobId: string | null;
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  attempts: number;
  visits: number;
  code: string | null;
  /** Of everything a caller may see of its end. */
  fingerprint: string;
}

export interface StoredJob {
  id: string;
  status: string;
  isOver: boolean;
}

export interface Stored {
  tasks: readonly StoredTask[];
  jobs: readonly StoredJob[];
}

/** One request a receiver got. */
export interface Telling {
  webhookId: string;
  /** The task or job it tells of. */
  about: string;
  body: string;
}

export type FindingKind = 'lost' | 'doubled' | 'changed' | 'refetched' | 'spoilt' | 'attempts' | 'left' | 'broken';

export interface Finding {
  kind: FindingKind;
  what: string;
}

/** Visits after which a page that is well may fail all the same: each of them was taken down by us. */
export const WORN_OUT = 3;

export const hasEnded = ({ status }: Pick<StoredTask, 'status'>): boolean =>
  status !== 'queued' && status !== 'running';

/** Everything that can be said at the end of a run. */
export function compareAll(
  promised: Promised,
  { stored, told, requests }: { stored: Stored; told: readonly Telling[]; requests: ReadonlyMap<string, number> },
): Finding[] {
  return [
    ...lostTasks(promised, stored),
    ...doubledTasks(promised, stored),
    ...spoiltTasks(promised, stored),
    ...unsettledJobs(promised, stored),
    ...untold(promised, told),
    ...toldOtherwise(promised, told),
    ...requestsWithoutVisit(promised, stored, requests),
  ];
}

/** Accepted, and either unknown to the store or without an end. */
export function lostTasks(promised: Promised, stored: Stored): Finding[] {
  const rows = byId(stored.tasks);
  return promised.tasks.flatMap(({ id, url }) => {
    const row = rows.get(id);
    if (!row) return [finding('lost', `task ${id} (${url}) is not in the store`)];
    return hasEnded(row) ? [] : [finding('lost', `task ${id} (${url}) never ended: ${row.status}`)];
  });
}

/** More than one row for what was submitted once, however often it was sent; or a row that nobody asked for. */
export function doubledTasks(promised: Promised, stored: Stored): Finding[] {
  const ids = new Set(promised.tasks.map(({ id }) => id));
  const rows = new Map<string, string>();
  return stored.tasks.flatMap(({ id, url }) => {
    const first = rows.get(url);
    rows.set(url, first ?? id);
    if (first) return [finding('doubled', `${url} has the tasks ${first} and ${id}`)];
    return ids.has(id) ? [] : [finding('doubled', `task ${id} (${url}) was never promised to anybody`)];
  });
}

/** A page that is well and was not taken down again and again has no reason to fail. */
export function spoiltTasks(promised: Promised, stored: Stored): Finding[] {
  const rows = byId(stored.tasks);
  return promised.tasks.flatMap(({ id, url, isSound }) => {
    const row = rows.get(id);
    if (!isSound || !row || !hasEnded(row) || row.status === 'completed' || row.visits >= WORN_OUT) return [];
    return [finding('spoilt', `task ${id} (${url}) ended ${row.status} (${row.code}) after ${row.visits} visits`)];
  });
}

/** A job ends with its last task, and its end says how they ended. */
export function unsettledJobs(promised: Promised, stored: Stored): Finding[] {
  const jobs = new Map(stored.jobs.map((job) => [job.id, job]));
  const tasks = grouped(stored.tasks, ({ jobId }) => jobId);
  return promised.jobs.flatMap(({ id }) => {
    const job = jobs.get(id);
    if (!job) return [finding('lost', `job ${id} is not in the store`)];
    const right = endOf(tasks.get(id) ?? []);
    if (job.isOver && job.status === right) return [];
    return [finding('lost', `job ${id} is ${job.status}${job.isOver ? '' : ', not over'}; its tasks say ${right}`)];
  });
}

function endOf(tasks: readonly StoredTask[]): string {
  const completed = tasks.filter(({ status }) => status === 'completed').length;
  if (completed === tasks.length) return 'completed';
  return completed === 0 ? 'failed' : 'partially_completed';
}

/** Ends of which no receiver ever heard. */
export function untold(promised: Promised, told: readonly Telling[]): Finding[] {
  const heard = new Set(told.map(({ about }) => about));
  return [...promised.tasks, ...promised.jobs]
    .filter(({ id, isTold }) => isTold && !heard.has(id))
    .map(({ id }) => finding('lost', `nobody was told of the end of ${id}`));
}

/** One end is one event: one id and the same bytes however often it comes. */
export function toldOtherwise(promised: Promised, told: readonly Telling[]): Finding[] {
  const toTell = new Set([...promised.tasks, ...promised.jobs].filter(({ isTold }) => isTold).map(({ id }) => id));
  return [...grouped(told, ({ about }) => about)].flatMap(([about, tellings]) => {
    const ids = new Set(tellings.map(({ webhookId }) => webhookId)).size;
    const bodies = new Set(tellings.map(({ body }) => body)).size;
    if (!toTell.has(about)) return [finding('doubled', `${about} was told of, and nobody had asked for it`)];
    if (ids > 1) return [finding('doubled', `${about} was told of under ${ids} webhook ids`)];
    return bodies > 1 ? [finding('changed', `${about} was told of with ${bodies} bodies`)] : [];
  });
}

/** A visit is counted before its first request: a website never hears more often of us than the store knows. */
export function requestsWithoutVisit(
  promised: Promised,
  stored: Stored,
  requests: ReadonlyMap<string, number>,
): Finding[] {
  const rows = byId(stored.tasks);
  return promised.tasks.flatMap(({ id, url, requestsPerVisit }) => {
    const visits = rows.get(id)?.visits ?? 0;
    const asked = requests.get(url) ?? 0;
    if (asked <= visits * requestsPerVisit) return [];
    return [finding('refetched', `${url} was asked for ${asked} times in ${visits} visits`)];
  });
}

/** What a task ended with, once known, is what it ended with. Remembers the ends it sees. */
export function changedEnds(known: Map<string, string>, stored: Stored): Finding[] {
  const rows = byId(stored.tasks);
  const changed = [...known].flatMap(([id, fingerprint]) => {
    const row = rows.get(id);
    if (!row) return [finding('lost', `task ${id} had ended and is no longer in the store`)];
    return row.fingerprint === fingerprint
      ? []
      : [finding('changed', `the end of task ${id} (${row.url}) has changed`)];
  });
  for (const row of stored.tasks) if (hasEnded(row)) known.set(row.id, row.fingerprint);
  return changed;
}

/** What a kill of the service made be asked for again, and whether each of them had to be. */
export function refetchedAfterKill(
  atKill: Stored,
  { before, after }: Record<'before' | 'after', ReadonlySet<string>>,
): { refetched: number; findings: Finding[] } {
  const again = atKill.tasks.filter(({ url }) => before.has(url) && after.has(url));
  const ended = again
    .filter((row) => hasEnded(row))
    .map(({ id, url }) =>
      finding('refetched', `task ${id} (${url}) had ended before the kill and was asked for again`),
    );
  const unclaimed = atKill.tasks
    .filter(({ url, visits }) => before.has(url) && visits === 0)
    .map(({ id, url }) => finding('refetched', `task ${id} (${url}) was asked for before its visit was in the store`));
  const findings = [...ended, ...unclaimed];
  return { refetched: again.filter(({ status }) => status === 'running').length, findings };
}

export interface AttemptsExpected {
  /** Most tasks that one blow can have hit. */
  mostHit: number;
  /** Those that it must have hit. */
  certain: ReadonlySet<string>;
}

/** A blow to a browser costs each task it hits one attempt and one visit, and no other task anything. */
export function wrongAttempts(before: Stored, after: Stored, { mostHit, certain }: AttemptsExpected): Finding[] {
  const rows = byId(after.tasks);
  const grown = before.tasks.flatMap((row) => {
    const now = rows.get(row.id);
    if (!now || row.status !== 'running') return [];
    return [{ id: row.id, visits: now.visits - row.visits, attempts: now.attempts - row.attempts }];
  });
  const hit = grown.filter(({ visits }) => visits > 0);
  const wrong = grown
    .filter(({ visits, attempts }) => attempts !== visits || visits > 1)
    .map(({ id, visits, attempts }) =>
      finding('attempts', `one blow cost task ${id} ${attempts} attempts, ${visits} visits`),
    );
  const spared = grown
    .filter(({ id, visits }) => certain.has(id) && visits === 0)
    .map(({ id }) => finding('attempts', `task ${id} was in the browser that died, and no attempt was counted`));
  const tooMany = hit.length > mostHit ? [finding('attempts', `one blow hit ${hit.length} tasks, not ${mostHit}`)] : [];
  return [...wrong, ...spared, ...tooMany];
}

const byId = (tasks: readonly StoredTask[]): Map<string, StoredTask> => new Map(tasks.map((task) => [task.id, task]));

function grouped<T, K>(list: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

export const finding = (kind: FindingKind, what: string): Finding => ({ kind, what });
