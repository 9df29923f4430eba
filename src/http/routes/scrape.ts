import type { ErrorCode } from '../../domain/errors.js';
import type { AnswerRoom } from '../answer-room.js';
import { callerOf, pathId } from '../caller.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { hangUpSignal } from '../hang-up.js';
import { markReplayed, onceOf } from '../idempotency.js';
import { QueuedWire, type TaskWire } from '../schemas/answers.js';
import { failureAnswers, pictureAnswer, successAnswer } from '../schemas/envelopes.js';
import * as examples from '../schemas/examples.js';
import { NO_QUERY } from '../schemas/fields.js';
import { SUBMIT_HEADERS } from '../schemas/headers.js';
import { requestBodies, TASK_PARAMS, TASK_QUERY } from '../schemas/requests.js';
import { specFromWire, taskPath, taskToWire } from '../wire.js';
import { refuseNewWork } from './new-work.js';
import { type App, ref } from './types.js';

/** What the engine or the door may answer to new work, before any visit. */
export const SUBMIT_CODES: readonly ErrorCode[] = [
  'malformed_request',
  'unauthorized',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'idempotency_conflict',
  'internal_error',
  'queue_full',
  'overloaded',
  'shutting_down',
  'storage_unavailable',
];

export const READ_CODES: readonly ErrorCode[] = [
  'unauthorized',
  'validation_failed',
  'internal_error',
  'storage_unavailable',
];

/** What becomes of a path with a parameter that is no text, or too much of it. */
export const PATH_CODES: readonly ErrorCode[] = ['malformed_request', 'uri_too_long'];

/** What becomes of a body that cannot be read, also where none is asked for. */
export const BODY_CODES: readonly ErrorCode[] = ['malformed_request', 'payload_too_large', 'unsupported_media_type'];

export function scrapeRoutes(app: App, door: Door, room: AnswerRoom): void {
  const { engine, adapters } = door;
  const bodies = requestBodies(adapters);

  app.post(
    '/api/v1/scrape',
    {
      onRequest: refuseNewWork(door),
      schema: {
        operationId: 'submitTask',
        tags: ['scrape'],
        summary: 'Submit one URL',
        description:
          'The task is on disk when the 202 leaves. Poll it at `Location`. A repetition with the same `Idempotency-Key` is ' +
          'answered as the first time was, however far the task has come since.',
        headers: SUBMIT_HEADERS,
        querystring: NO_QUERY,
        body: bodies.scrape,
        response: {
          202: successAnswer(QueuedWire, {
            description: 'Accepted and durable.',
            example: examples.queuedTask,
            location: true,
            replayable: true,
          }),
          ...failureAnswers(SUBMIT_CODES),
        },
      },
    },
    async (request, reply) => {
      const once = onceOf(request, 'scrape');
      const task = await engine.submit(specFromWire(request.body), callerOf(request), once);
      if (task.requestId !== request.id) markReplayed(reply);
      reply.code(202).header('location', taskPath(task.id));
      return success(request.id, { task_id: task.id, status: 'queued' });
    },
  );

  app.get(
    '/api/v1/scrape/:taskId',
    {
      onSend: room.onSend,
      schema: {
        operationId: 'getTask',
        tags: ['scrape'],
        summary: 'A task and, once it has completed, its result',
        description:
          'With `wait` the answer comes as soon as the task has ended, or with its state when the time is up.',
        params: TASK_PARAMS,
        querystring: TASK_QUERY,
        response: {
          200: successAnswer(ref<TaskWire>('Task'), { description: 'The task.', example: examples.completedTask }),
          ...failureAnswers([...READ_CODES, 'overloaded', 'task_not_found', ...PATH_CODES]),
        },
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.taskId, 'task_not_found');
      const { wait = 0 } = request.query;
      if (wait > 0) {
        const hangUp = hangUpSignal(reply);
        // Whoever waits holds no place, and no result: it is read when its turn has come.
        await engine.awaitTask(id, wait * 1000, hangUp);
        if (hangUp.aborted) return reply.hijack();
      }
      await room.enter(reply);
      return success(request.id, taskToWire(await engine.task(id)));
    },
  );

  app.get(
    '/api/v1/scrape/:taskId/screenshot',
    {
      schema: {
        operationId: 'getScreenshot',
        tags: ['scrape'],
        summary: 'The picture of a task with the format `screenshot`',
        description: 'PNG of the whole page, or of its beginning where it is very long.',
        params: TASK_PARAMS,
        querystring: NO_QUERY,
        response: {
          200: pictureAnswer('The picture.'),
          ...failureAnswers([...READ_CODES, 'task_not_found', 'screenshot_not_found', ...PATH_CODES]),
        },
      },
    },
    async (request, reply) => {
      const picture = await engine.screenshot(pathId(request.params.taskId, 'task_not_found'));
      return reply.type('image/png').header('cache-control', 'private, max-age=3600').send(picture);
    },
  );
}
