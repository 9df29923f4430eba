import type { Learnt } from '../domain/plan.js';
import type { RetrievalOutcome } from '../domain/retrieval.js';
import { isTerminal, type Task } from '../domain/task.js';

export type Meaning = Pick<Learnt<never>, 'error'> & { outcome: RetrievalOutcome | null };

const well = (outcome: RetrievalOutcome | null): Meaning => ({ outcome, error: null });

/** What a visit says about its case. A cancelled one says nothing. */
export function meaningOf(visited: Task, noRecordStatuses: readonly number[]): Meaning {
  if (!isTerminal(visited.status) || visited.status === 'cancelled') return well(null);
  const { meta } = visited;
  if (visited.status === 'failed') {
    const isSaidByStatus =
      visited.code === 'target_client_error' && noRecordStatuses.includes(meta?.httpStatus ?? Number.NaN);
    return well(isSaidByStatus ? 'no-record' : 'failed');
  }
  if (meta?.notes.includes('no_record')) return well('no-record');
  if (!meta?.notes.includes('other_subject')) return well('success');
  // The visit went well, and what it brought is not what was asked for.
  const message = 'The page shows neither the record nor that there is none.';
  return { outcome: 'failed', error: { type: 'extraction_failed', message } };
}
