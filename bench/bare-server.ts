/** The peer of the accept benchmark: Fastify, the same body schema, an id, an answer. Nothing is kept. */
import { Type } from '@sinclair/typebox';
import fastify from 'fastify';
import { uuidv7 } from 'uuidv7';

const app = fastify();
const body = Type.Object(
  {
    target_type: Type.Union([Type.Literal('job_posting'), Type.Literal('company_website')]),
    target_url: Type.String({ minLength: 1, maxLength: 2048 }),
    workspace_id: Type.String({ minLength: 1, maxLength: 200 }),
    requested_fields: Type.Optional(Type.Array(Type.String())),
    callback_url: Type.Optional(Type.String()),
    render: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
app.post('/scrape', { schema: { body } }, async (_request, reply) =>
  reply.code(202).send({ success: true, data: { task_id: uuidv7(), status: 'queued' }, error: null, meta: {} }),
);
const address = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ address }));
process.on('SIGTERM', () => void app.close());
