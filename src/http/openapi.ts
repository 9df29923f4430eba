import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { WEBHOOKS } from './openapi-webhooks.js';
import { PRINTABLE } from './schemas/fields.js';

type Json = Record<string, unknown>;

/** The document of a ready application. */
export const openapiDocument = (app: FastifyInstance): Json => app.swagger() as unknown as Json;

/** The same as text, the way `openapi.yaml` holds it: no anchors, no folded lines, so that a diff shows what changed. */
export const openapiYaml = (app: FastifyInstance): string =>
  stringify(openapiDocument(app), { aliasDuplicateObjects: false, lineWidth: 0 });

const DESCRIPTION = `Turns web pages without APIs into typed, true data.

Every JSON answer is an envelope: \`{ success, data, error, meta }\`. \`error\` is one sentence for people;
\`meta.code\`, \`meta.retryable\`, \`meta.retry_after_seconds\` and \`meta.fields\` are for machines. All codes are listed
under \`ErrorCode\`. Every answer has a fresh \`X-Request-ID\`; every 503 has \`Retry-After\`. A \`traceparent\` header is
carried into the logs. Paths under \`/api\` need the \`X-Service-Key\` header.

Who does not want to poll a job can follow its events as a stream, or give a \`callback_url\` and be told. What is sent
there is under Webhooks; every delivery is signed, repeated until it is taken, and kept in a ledger.`;

export function documentOptions({ version }: { version: string }): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'gleaner',
        version,
        description: DESCRIPTION,
        license: { name: 'MIT', identifier: 'MIT' } as never,
      },
      servers: [{ url: '/', description: 'The service this document was read from.' }],
      tags: [
        { name: 'scrape', description: 'One URL.' },
        { name: 'jobs', description: 'Many URLs with one end.' },
        { name: 'retrievals', description: 'The cases of a register, with one end and a checkpoint.' },
        { name: 'webhooks', description: 'What receivers were told, and how that went.' },
        { name: 'domains', description: 'How single domains are treated, and why.' },
        { name: 'operations', description: 'For whoever runs the service; no key.' },
      ],
      components: { securitySchemes: { serviceKey: { type: 'apiKey', in: 'header', name: 'X-Service-Key' } } },
      security: [{ serviceKey: [] }],
      webhooks: WEBHOOKS as never,
    },
    convertConstToEnum: false,
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`) },
    transformObject: (document) => tidied('openapiObject' in document ? document.openapiObject : {}) as never,
  };
}

/**
 * What is right for the validators but poor reading: a union of constants becomes an `enum`, our own keywords go,
 * and the components are sorted so that their order does not depend on who registered first.
 */
function tidied(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidied);
  if (typeof node !== 'object' || node === null) return node;
  // The pattern speaks of surrogates, which few languages but ours have; its meaning is in the description.
  const entries = Object.entries(node).filter(([key, value]) => key !== 'x-wish' && value !== PRINTABLE);
  const copy: Json = {};
  for (const [key, value] of entries) copy[key] = key === 'schemas' ? sorted(tidied(value) as Json) : tidied(value);
  return asEnum(copy);
}

function asEnum(schema: Json): Json {
  const variants = schema.anyOf as Json[] | undefined;
  if (!Array.isArray(variants) || !variants.every((variant) => 'const' in variant)) return schema;
  const { anyOf: _anyOf, ...rest } = schema;
  return { type: 'string', enum: variants.map((variant) => variant.const), ...rest };
}

const sorted = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1)));
