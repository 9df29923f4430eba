import type { Static } from '@sinclair/typebox';
import { fieldError, GleanerError } from '../../domain/errors.js';
import type { JobFilter } from '../../ports/store.js';
import type { AnswerRoom } from '../answer-room.js';
import { callerOf, pathId } from '../caller.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { markReplayed, onceOf } from '../idempotency.js';
import { JobWire, OpenedJobWire, pageOf, refTo, type TaskWire } from '../schemas/answers.js';
import { failureAnswers, successAnswer } from '../schemas/envelopes.js';
import * as examples from '../schemas/examples.js';
import { NO_QUERY } from '../schemas/fields.js';
import { SUBMIT_HEADERS } from '../schemas/headers.js';
import { DEFAULT_PAGE_SIZE, JOB_PARAMS, JOBS_QUERY, RESULTS_QUERY, requestBodies } from '../schemas/requests.js';
import { jobToWire, pageToWire, specFromWire, taskToWire } from '../wire.js';
import { refuseNewWork } from './new-work.js';
import { BODY_CODES, PATH_CODES, READ_CODES, SUBMIT_CODES } from './scrape.js';
import { timeOf } from './time.js';
import { type App, ref } from './types.js';

export function jobRoutes(app: App, door: Door, room: AnswerRoom): void {
  openRoute(app, door);
  readRoutes(app, door);
  resultsRoute(app, door, room);
  cancelRoute(app, door);
}

function openRoute(app: App, door: Door): void {
  const { engine, adapters } = door;
  app.post(
    '/api/v1/scrape/batch',
    {
      onRequest: refuseNewWork(door),
      attachValidation: true,
      schema: {
        operationId: 'submitBatch',
        tags: ['jobs'],
        summary: 'Submit 1 to 100 URLs as one job',
        description: 'All or nothing: either every target is on disk when the 202 leaves, or none is.',
        headers: SUBMIT_HEADERS,
        querystring: NO_QUERY,
        body: requestBodies(adapters).batch,
        response: {
          202: successAnswer(OpenedJobWire, {
            description: 'Accepted and durable.',
            example: {
              job_id: examples.JOB_ID,
              total_tasks: 2,
              task_ids: [examples.TASK_ID, examples.OTHER_TASK_ID],
            },
            location: true,
            replayable: true,
          }),
          ...failureAnswers(SUBMIT_CODES),
        },
      },
    },
    async (request, reply) => {
      if (request.validationError) throw allFaults(request.validationError, request.body, engine);
      const targets = request.body.targets.map(specFromWire);
      const callbackUrl = request.body.callback_url ?? null;
      const once = onceOf(request, 'batch');
      const { job, taskIds, isReplay } = await engine.submitBatch({ targets, callbackUrl }, callerOf(request), once);
      if (isReplay) markReplayed(reply);
      reply.code(202).header('location', `/api/v1/scrape/jobs/${job.id}`);
      return success(request.id, { job_id: job.id, total_tasks: taskIds.length, task_ids: taskIds });
    },
  );
}

/**
 * The schema's faults and, for the targets that pass it, what the engine has against them: a caller with a hundred
 * targets should learn of everything at once.
 */
function allFaults(error: Error, body: unknown, engine: Door['engine']): Error {
  const targets = (body as { targets?: unknown } | null)?.targets;
  if (!(error instanceof GleanerError) || error.code !== 'validation_failed' || !Array.isArray(targets)) return error;
  const faults = error.fields ?? [];
  if (faults.some(({ field }) => field === 'targets')) return error;
  const isSound = (index: number): boolean => !faults.some(({ field }) => field.startsWith(`targets[${index}]`));
  const sound = targets.map((target, index) => (isSound(index) ? specFromWire(target) : null));
  return fieldError([...faults, ...engine.batchFaults({ targets: sound, callbackUrl: null })]);
}

function readRoutes(app: App, { engine }: Door): void {
  app.get(
    '/api/v1/scrape/jobs',
    {
      schema: {
        operationId: 'listJobs',
        tags: ['jobs'],
        summary: 'Jobs, newest first',
        querystring: JOBS_QUERY,
        response: {
          200: successAnswer(pageOf(refTo(JobWire)), {
            description: 'One page.',
            example: { items: [examples.runningJob], next_cursor: null },
          }),
          ...failureAnswers(READ_CODES),
        },
      },
    },
    async (request) => {
      const { limit = DEFAULT_PAGE_SIZE, cursor = null } = request.query;
      const page = await engine.jobs(filterOf(request.query), { limit, cursor });
      return success(request.id, pageToWire(page, jobToWire));
    },
  );

  app.get(
    '/api/v1/scrape/jobs/:jobId',
    {
      schema: {
        operationId: 'getJob',
        tags: ['jobs'],
        summary: 'How far a job has come',
        params: JOB_PARAMS,
        querystring: NO_QUERY,
        response: {
          200: successAnswer(refTo(JobWire), { description: 'The job.', example: examples.runningJob }),
          ...failureAnswers([...READ_CODES, 'job_not_found', ...PATH_CODES]),
        },
      },
    },
    async (request) => success(request.id, jobToWire(await engine.job(pathId(request.params.jobId, 'job_not_found')))),
  );
}

function resultsRoute(app: App, { engine }: Door, room: AnswerRoom): void {
  app.get(
    '/api/v1/scrape/jobs/:jobId/results',
    {
      onSend: room.onSend,
      schema: {
        operationId: 'getJobResults',
        tags: ['jobs'],
        summary: 'The completed tasks of a job, in the order of the request',
        description: 'Of a retrieval none is here: see `GET /api/v1/retrievals/{runId}/results`.',
        params: JOB_PARAMS,
        querystring: RESULTS_QUERY,
        response: {
          200: successAnswer(pageOf(ref<TaskWire>('Task')), {
            description: 'One page.',
            example: {
              items: [{ ...examples.completedTask, job_id: examples.JOB_ID }, examples.failedTask],
              next_cursor: null,
            },
          }),
          ...failureAnswers([...READ_CODES, 'overloaded', 'job_not_found', ...PATH_CODES]),
        },
      },
    },
    async (request, reply) => {
      const { limit = DEFAULT_PAGE_SIZE, cursor = null, include } = request.query;
      const id = pathId(request.params.jobId, 'job_not_found');
      await room.enter(reply);
      const page = await engine.jobResults(id, { limit, cursor, includeFailed: include === 'failed' });
      return success(request.id, pageToWire(page, taskToWire));
    },
  );
}

function cancelRoute(app: App, { engine }: Door): void {
  app.post(
    '/api/v1/scrape/jobs/:jobId/cancel',
    {
      schema: {
        operationId: 'cancelJob',
        tags: ['jobs'],
        summary: 'Cancel what is still queued',
        description: 'Running tasks finish. Cancelling again changes nothing and answers the same.',
        params: JOB_PARAMS,
        querystring: NO_QUERY,
        response: {
          200: successAnswer(refTo(JobWire), { description: 'The job.', example: examples.cancelledJob }),
          ...failureAnswers([
            ...READ_CODES,
            'job_not_found',
            'run_locked',
            'checkpoint_unreadable',
            ...PATH_CODES,
            ...BODY_CODES,
          ]),
        },
      },
    },
    async (request) =>
      success(request.id, jobToWire(await engine.cancelJob(pathId(request.params.jobId, 'job_not_found')))),
  );
}

function filterOf(query: Static<typeof JOBS_QUERY>): JobFilter {
  const { status, created_after: after, created_before: before } = query;
  return {
    ...(status === undefined ? {} : { status }),
    ...(after === undefined ? {} : { createdAfter: timeOf('created_after', after) }),
    ...(before === undefined ? {} : { createdBefore: timeOf('created_before', before) }),
  };
}
