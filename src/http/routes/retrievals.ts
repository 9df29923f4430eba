import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../domain/errors.js';
import { RETRIEVAL } from '../../domain/retrieval.js';
import type { PlannedJob } from '../../ports/plans.js';
import type { AnswerRoom } from '../answer-room.js';
import { callerOf, pathId } from '../caller.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { markReplayed, onceOf } from '../idempotency.js';
import { openedToWire, resultToWire, runToWire, wishFromWire } from '../retrieval-wire.js';
import { pageOf, refTo } from '../schemas/answers.js';
import { failureAnswers, successAnswer } from '../schemas/envelopes.js';
import { NO_QUERY, uuid } from '../schemas/fields.js';
import { SUBMIT_HEADERS } from '../schemas/headers.js';
import { DEFAULT_PAGE_SIZE } from '../schemas/requests.js';
import * as wire from '../schemas/retrievals.js';
import { refuseNewWork } from './new-work.js';
import { BODY_CODES, PATH_CODES, READ_CODES, SUBMIT_CODES } from './scrape.js';
import type { App } from './types.js';

const ONE_CODES: readonly ErrorCode[] = [...READ_CODES, 'run_not_found', ...PATH_CODES];

export function retrievalRoutes(app: App, door: Door, room: AnswerRoom): void {
  openRoute(app, door);
  readRoutes(app, door, room);
  turnRoutes(app, door);
}

const OpenedRunWire = Type.Object({
  run_id: uuid('Poll it at Location.'),
  total: Type.Integer({ description: 'How many cases it has.' }),
  start_id: Type.String(),
  end_id: Type.String(),
});

function openRoute(app: App, door: Door): void {
  const { engine } = door;
  app.post(
    '/api/v1/retrievals',
    {
      onRequest: refuseNewWork(door),
      schema: {
        operationId: 'openRetrieval',
        tags: ['retrievals'],
        summary: 'Retrieve the cases of a register, by a range of numbers or a list',
        description:
          'The run is on disk when the 202 leaves, and goes on after any crash. It is a job, too: its events and its ' +
          'webhook are those of a job with the same id.',
        headers: SUBMIT_HEADERS,
        querystring: NO_QUERY,
        body: wire.RETRIEVAL_BODY,
        response: {
          202: successAnswer(OpenedRunWire, {
            description: 'Accepted and durable.',
            example: wire.exampleOpenedRun,
            location: true,
            replayable: true,
          }),
          ...failureAnswers(SUBMIT_CODES),
        },
      },
    },
    async (request, reply) => {
      const wish = {
        kind: RETRIEVAL,
        wish: wishFromWire(request.body),
        callbackUrl: request.body.callback_url ?? null,
      };
      const once = onceOf(request, 'retrieval');
      const { planned, isReplay } = await engine.planned.open(wish, callerOf(request), once);
      if (isReplay) markReplayed(reply);
      reply.code(202).header('location', `/api/v1/retrievals/${planned.job.id}`);
      return success(request.id, openedToWire(planned));
    },
  );
}

function readRoutes(app: App, { engine }: Door, room: AnswerRoom): void {
  app.get(
    '/api/v1/retrievals/:runId',
    {
      schema: {
        operationId: 'getRetrieval',
        tags: ['retrievals'],
        summary: 'How far a run has come',
        params: wire.RUN_PARAMS,
        querystring: NO_QUERY,
        response: {
          200: successAnswer(refTo(wire.RunWire), { description: 'The run.', example: wire.exampleRun }),
          ...failureAnswers(ONE_CODES),
        },
      },
    },
    async (request) => success(request.id, runToWire(await engine.planned.find(idOf(request.params.runId), RETRIEVAL))),
  );

  app.get(
    '/api/v1/retrievals/:runId/results',
    {
      onSend: room.onSend,
      schema: {
        operationId: 'getRetrievalResults',
        tags: ['retrievals'],
        summary: 'What became of the cases, in the order in which they ended',
        description: 'Who goes on from a cursor misses none, also while the run goes on.',
        params: wire.RUN_PARAMS,
        querystring: wire.RUN_RESULTS_QUERY,
        response: {
          200: successAnswer(pageOf(refTo(wire.CrawlResultWire)), {
            description: 'One page.',
            example: { items: [wire.exampleResult], next_cursor: null },
          }),
          ...failureAnswers([...ONE_CODES, 'overloaded']),
        },
      },
    },
    async (request, reply) => {
      const { limit = DEFAULT_PAGE_SIZE, cursor = null, outcome = null, include } = request.query;
      const { job } = await engine.planned.find(idOf(request.params.runId), RETRIEVAL);
      if (include === 'records') await room.enter(reply);
      const page = await engine.planned.outcomes(job.id, { limit, cursor, outcome });
      const items = await Promise.all(
        page.items.map(async (one) => {
          if (include !== 'records') return resultToWire(one);
          const record = one.files.record === null ? null : await engine.planned.record(one.files.record);
          return { ...resultToWire(one), record };
        }),
      );
      return success(request.id, { items, next_cursor: page.nextCursor });
    },
  );
}

type Turn = 'pause' | 'resume' | 'cancel';

const TURNS: Record<Turn, { summary: string; description: string; codes: readonly ErrorCode[] }> = {
  pause: {
    summary: 'Let a run rest',
    description: 'What is being visited may finish; nothing else is until it is resumed. A restart does not resume it.',
    codes: ['run_over'],
  },
  resume: {
    summary: 'Let a run go on',
    description: 'From the store, or from its checkpoint file where the store knows nothing of it or less.',
    codes: ['run_over', 'run_locked', 'checkpoint_unreadable', 'queue_full'],
  },
  cancel: {
    summary: 'End a run',
    description: 'What is being visited may finish. Cancelling again changes nothing and answers the same.',
    codes: ['run_locked', 'checkpoint_unreadable'],
  },
};

function turnRoutes(app: App, { engine }: Door): void {
  for (const turn of Object.keys(TURNS) as Turn[]) {
    const { summary, description, codes } = TURNS[turn];
    app.post(
      `/api/v1/retrievals/:runId/${turn}`,
      {
        schema: {
          operationId: `${turn}Retrieval`,
          tags: ['retrievals'],
          summary,
          description,
          params: wire.RUN_PARAMS,
          querystring: NO_QUERY,
          response: {
            200: successAnswer(refTo(wire.RunWire), { description: 'The run.', example: wire.exampleRun }),
            ...failureAnswers([...ONE_CODES, ...BODY_CODES, 'shutting_down', ...codes]),
          },
        },
      },
      async (request) => {
        const { runId } = request.params as { runId: string };
        const planned: PlannedJob = await engine.planned[turn](idOf(runId), RETRIEVAL);
        return success(request.id, runToWire(planned));
      },
    );
  }
}

const idOf = (runId: string): string => pathId(runId, 'run_not_found');
