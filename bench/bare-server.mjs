/**
 * The peer of the accept benchmark: Fastify as it comes, with the schemas of our own routes for what comes in and what
 * goes out, and nothing behind it. A submit is answered with fresh ids, a read with the bytes that the service
 * answered: `BENCH_ANSWERS` holds them as `{ path: data }`.
 */
import fastify from 'fastify';
import { uuidv7 } from 'uuidv7';
import { createRegistry } from '../dist/adapters/registry.js';
import * as answers from '../dist/http/schemas/answers.js';
import { successAnswer } from '../dist/http/schemas/envelopes.js';
import { NO_QUERY } from '../dist/http/schemas/fields.js';
import { JOB_PARAMS, requestBodies, TASK_PARAMS, TASK_QUERY } from '../dist/http/schemas/requests.js';

const adapters = createRegistry();
const known = JSON.parse(process.env.BENCH_ANSWERS ?? '{}');
// Our schemas carry words for the document that the validator does not know.
const app = fastify({ ajv: { customOptions: { strict: false } } });

const { ErrorCodeWire, FieldSourceWire, JobWire, RobotsWire, VisitMetaWire, recordsWire, taskWire } = answers;
const shared = [ErrorCodeWire, RobotsWire, FieldSourceWire, VisitMetaWire, JobWire, taskWire(adapters)];
for (const schema of [...shared, ...recordsWire(adapters)]) app.addSchema(schema);

const answerOf = (data) => successAnswer(data, { description: '', example: null });
const envelope = (data) => ({ success: true, data, error: null, meta: { request_id: uuidv7() } });

app.post(
  '/api/v1/scrape',
  {
    schema: {
      querystring: NO_QUERY,
      body: requestBodies(adapters).scrape,
      response: { 202: answerOf(answers.QueuedWire) },
    },
  },
  async (_request, reply) => {
    const id = uuidv7();
    reply.code(202).header('location', `/api/v1/scrape/${id}`);
    return envelope({ task_id: id, status: 'queued' });
  },
);

/**
 * Written by JSON.stringify, as ours is: what Fastify compiles from a schema with unions takes four times as long and
 * would make the peer look slow.
 */
const serializerCompiler = () => JSON.stringify;
const reading = (path, { params, querystring, data }) => {
  const schema = { params, querystring, response: { 200: answerOf(data) } };
  app.get(path, { schema, serializerCompiler }, async (request) => envelope(known[request.url]));
};
reading('/api/v1/scrape/:taskId', { params: TASK_PARAMS, querystring: TASK_QUERY, data: { $ref: 'Task' } });
reading('/api/v1/scrape/jobs/:jobId', { params: JOB_PARAMS, querystring: NO_QUERY, data: { $ref: 'Job' } });

const address = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ address }));
process.on('SIGTERM', () => void app.close());
