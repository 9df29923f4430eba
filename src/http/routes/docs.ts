import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyReply } from 'fastify';
import type { Door } from '../door.js';
import { DOCS_POLICY } from '../headers.js';
import { documentOptions, openapiDocument, openapiYaml } from '../openapi.js';
import type { App } from './types.js';

/** Must come before the routes it describes. */
export async function describeRoutes(app: App, door: Door): Promise<void> {
  await app.register(swagger, documentOptions(door));
}

/** The document, and a page to read it and try it. Everything the page loads comes from here, nothing from elsewhere. */
export async function docsRoutes(app: App): Promise<void> {
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: DOCS_POLICY,
    theme: { title: 'gleaner: API reference' },
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true, persistAuthorization: false },
  });

  // The routes cannot change once the application is ready, so each form is written once, when first asked for.
  let json: string | undefined;
  let yaml: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) =>
    sendText(reply, 'application/json; charset=utf-8', (json ??= JSON.stringify(openapiDocument(app)))),
  );
  app.get('/openapi.yaml', { schema: { hide: true } }, async (_request, reply) =>
    sendText(reply, 'application/yaml; charset=utf-8', (yaml ??= openapiYaml(app))),
  );
}

const sendText = (reply: FastifyReply, type: string, text: string): FastifyReply => reply.type(type).send(text);
