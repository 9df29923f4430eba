import type { FastifyRequest } from 'fastify';
import { fieldError } from '../../domain/errors.js';
import { pathId } from '../caller.js';
import type { Door } from '../door.js';
import { eventStream } from '../event-stream.js';
import { openStreams } from '../open-streams.js';
import { emptyAnswer, failureAnswers, streamAnswer } from '../schemas/envelopes.js';
import { EVENTS_HEADERS, EVENTS_QUERY } from '../schemas/events.js';
import { JOB_PARAMS } from '../schemas/requests.js';
import { headerValues } from '../service-key.js';
import { PATH_CODES, READ_CODES } from './scrape.js';
import type { App } from './types.js';

/** Often enough that no proxy on the way takes the connection for a dead one. */
const HEARTBEAT_MS = 15_000;

const DESCRIPTION = `Server-Sent Events: what happened to the job and its tasks from the beginning or after \`Last-Event-ID\`,
then what happens, as it happens, in order and without gaps. \`id\` is the number of the event within the job; \`data\` is a
\`TaskEvent\` or a \`JobEvent\`. The stream ends when the job is over; who comes back then with the last number is
answered 204, which tells an EventSource to stop. A comment comes every 15 seconds in which nothing happens.`;

export function eventRoutes(app: App, { engine }: Door): void {
  const openStream = openStreams(app);

  app.get(
    '/api/v1/scrape/jobs/:jobId/events',
    {
      schema: {
        operationId: 'followJob',
        tags: ['jobs'],
        summary: 'What happens to a job, as it happens',
        description: DESCRIPTION,
        params: JOB_PARAMS,
        headers: EVENTS_HEADERS,
        querystring: EVENTS_QUERY,
        response: {
          200: streamAnswer('The stream.'),
          204: emptyAnswer('The job is over and all of it has been told.'),
          ...failureAnswers([...READ_CODES, 'job_not_found', ...PATH_CODES, 'too_many_streams']),
        },
      },
    },
    async (request, reply) => {
      const jobId = pathId(request.params.jobId, 'job_not_found');
      const after = lastEventId(request) ?? request.query.last_event_id ?? 0;
      const stream = openStream(reply);
      const { signal } = stream;
      const events = await engine.jobEvents(jobId, { after, heartbeatMs: HEARTBEAT_MS, signal });
      if (events === null) return reply.code(204).send();
      // Nobody will read it: the answer to HEAD ends with its headers.
      if (request.method === 'HEAD') stream.abort();
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          .header('x-accel-buffering', 'no')
          // The last answer on its connection: one that is kept alive after it would hold up a stop.
          .header('connection', 'close')
          .send(eventStream({ jobId, events, signal, log: request.log }))
      );
    },
  );
}

function lastEventId({ raw }: FastifyRequest): number | undefined {
  const field = 'Last-Event-ID';
  const lines = headerValues(raw.rawHeaders, field.toLowerCase());
  if (lines.length === 0) return undefined;
  const value = lines.join(', ');
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw fieldError([{ field, message: 'must be the number of an event: 1 to 15 digits.', value }]);
}
