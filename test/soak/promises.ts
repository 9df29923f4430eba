import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../support/service.js';
import type { PromisedJob, PromisedTask } from './accounts.js';
import type { Submission } from './load.js';

export interface Promises {
  readonly tasks: PromisedTask[];
  readonly jobs: PromisedJob[];
  /** Sends it until somebody has said yes: also to the next service, if this one dies before it answers. */
  submit(submission: Submission): Promise<{ acceptMs: number; resent: number; refused: number }>;
}

const AGAIN_MS = 100;
const PATIENCE_MS = 120_000;

/** The book of what callers were promised with a 202. `service` is whoever serves at the moment. */
export function createPromises(service: () => Pick<Api, 'post'>): Promises {
  const tasks: PromisedTask[] = [];
  const jobs: PromisedJob[] = [];

  function note({ targets, path, isJobTold }: Submission, data: Record<string, unknown>): void {
    const jobId = path.endsWith('/batch') ? String(data.job_id) : null;
    const ids = jobId === null ? [String(data.task_id)] : (data.task_ids as string[]);
    if (jobId !== null) jobs.push({ id: jobId, isTold: isJobTold });
    tasks.push(...targets.map(({ promise }, n) => ({ ...promise, id: ids[n]!, jobId })));
  }

  return {
    tasks,
    jobs,
    async submit(submission) {
      const begun = performance.now();
      let refused = 0;
      for (let resent = 0; performance.now() - begun < PATIENCE_MS; resent++) {
        const sentAt = performance.now();
        const answer = await send(service(), submission);
        if (answer?.status === 202) {
          note(submission, answer.body.data);
          return { acceptMs: performance.now() - sentAt, resent, refused };
        }
        if (answer && answer.status !== 503) {
          throw new Error(`${submission.path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
        }
        if (answer) refused += 1;
        await sleep(AGAIN_MS);
      }
      throw new Error(`Nobody took ${submission.key} within ${PATIENCE_MS} ms.`);
    },
  };
}

/** `null`: the connection broke, and with it the only way to know. */
async function send(service: Pick<Api, 'post'>, { key, path, body }: Submission) {
  const headers = { 'idempotency-key': key };
  return service.post(path, body, { headers, signal: AbortSignal.timeout(20_000) }).catch(() => null);
}
