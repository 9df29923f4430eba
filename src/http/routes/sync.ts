import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import { asGleanerError, GleanerError } from '../../domain/errors.js';
import type { Task } from '../../domain/task.js';
import type { AnswerRoom } from '../answer-room.js';
import { callerOf } from '../caller.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { sendFailure } from '../error-answer.js';
import { hangUpSignal } from '../hang-up.js';
import { markReplayed, onceOf } from '../idempotency.js';
import { QueuedWire, type TaskWire } from '../schemas/answers.js';
import { failureAnswers, successAnswer, VISIT_CODES } from '../schemas/envelopes.js';
import * as examples from '../schemas/examples.js';
import { NO_QUERY } from '../schemas/fields.js';
import { SUBMIT_HEADERS } from '../schemas/headers.js';
import { DEFAULT_TIMEOUT_SECONDS, requestBodies } from '../schemas/requests.js';
import { specFromWire, taskPath, taskToWire } from '../wire.js';
import { refuseNewWork } from './new-work.js';
import { SUBMIT_CODES } from './scrape.js';
import { type App, ref } from './types.js';

export function syncRoute(app: App, door: Door, room: AnswerRoom): void {
  const { engine, adapters } = door;
  // Nobody is left to be told of a fault here; what could not be cancelled simply runs.
  const abandon = (id: string, log: FastifyBaseLogger): Promise<unknown> =>
    engine.abandon(id).catch((err: unknown) => log.warn({ err, task_id: id }, 'Could not abandon a task'));

  /** Whoever waits holds no place, and no result: it is read when its turn has come. */
  async function answerInTurn(reply: FastifyReply, taskId: string): Promise<FastifyReply> {
    try {
      await room.enter(reply);
    } catch (error) {
      // The work is done, and can be asked for.
      return sendFailure(reply, asGleanerError(error), { task_id: taskId });
    }
    return answer(reply, await engine.task(taskId), door.clock.now());
  }

  app.post(
    '/api/v1/scrape/sync',
    {
      onRequest: refuseNewWork(door),
      onSend: room.onSend,
      schema: {
        operationId: 'scrapeNow',
        tags: ['scrape'],
        summary: 'Submit one URL and wait for its result',
        description:
          'A task that is not done by `timeout_seconds` goes on: the answer is 202 and `Location` says where to ask. ' +
          'A client that hangs up while its task is still queued cancels it, unless it sent an `Idempotency-Key`: ' +
          'who can ask again with the same key is expected to come back for the answer. While too much is on its way to ' +
          'callers who do not read it, the answer is 503 `overloaded` with the `task_id` of the work that is done.',
        headers: SUBMIT_HEADERS,
        querystring: NO_QUERY,
        body: requestBodies(adapters).sync,
        response: {
          200: successAnswer(ref<TaskWire>('Task'), {
            description: 'Done.',
            example: examples.completedTask,
            replayable: true,
          }),
          202: successAnswer(QueuedWire, {
            description: 'Not done within the time; the work goes on.',
            example: { ...examples.queuedTask, status: 'running' },
            location: true,
            replayable: true,
          }),
          ...failureAnswers([...SUBMIT_CODES, ...VISIT_CODES.filter((code) => !SUBMIT_CODES.includes(code))]),
        },
      },
    },
    async (request, reply) => {
      // Listening begins before the task exists: a client that goes away meanwhile is noticed all the same.
      const hangUp = hangUpSignal(reply);
      const once = onceOf(request, 'sync');
      const { id, requestId } = await engine.submit(specFromWire(request.body), callerOf(request), once);
      if (requestId !== request.id) markReplayed(reply);
      const waitMs = (request.body.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
      await engine.awaitTask(id, waitMs, hangUp);
      if (!hangUp.aborted) return answerInTurn(reply, id);
      // With a key the task is not this request's alone: another one may wait for it, now or later.
      if (once === undefined) await abandon(id, request.log);
      return reply.hijack();
    },
  );
}

function answer(reply: FastifyReply, task: Task, now: number): FastifyReply {
  const { id } = reply.request;
  switch (task.status) {
    case 'completed':
      return reply.send(success(id, taskToWire(task)));
    case 'failed':
    case 'cancelled': {
      const code = task.code ?? (task.status === 'failed' ? 'internal_error' : 'cancelled');
      const retryAfterMs = task.notBefore === null ? undefined : Math.max(0, task.notBefore - now);
      return sendFailure(reply, new GleanerError(code, task.error ?? '', { ...(retryAfterMs && { retryAfterMs }) }), {
        task_id: task.id,
      });
    }
    case 'queued':
    case 'running':
      reply.code(202).header('location', taskPath(task.id));
      return reply.send(success(id, { task_id: task.id, status: task.status, ...delayOf(task) }));
  }
}

/** A task that waits for its turn says until when: nobody need ask before. */
const delayOf = ({ notBefore }: Task): { not_before?: string } =>
  notBefore === null ? {} : { not_before: new Date(notBefore).toISOString() };
