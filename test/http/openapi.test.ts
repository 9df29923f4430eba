import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createRegistry } from '../../src/adapters/registry.js';
import { ERROR_TABLE } from '../../src/domain/errors.js';
import { buildDocumentationApp } from '../../src/http/documentation-app.js';
import { openapiDocument, openapiYaml } from '../../src/http/openapi.js';

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: unknown[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; headers?: object; content?: Record<string, Media> }>;
}

interface Media {
  schema: object;
  example?: unknown;
  examples?: object;
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('the API document', () => {
  let app: FastifyInstance;
  let document: {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
    webhooks: Record<string, { post: Operation }>;
    components: { schemas: Record<string, { enum?: string[] }> };
  };
  beforeAll(async () => {
    app = await buildDocumentationApp(createRegistry(), JSON.parse(read('package.json')).version);
    document = JSON.parse(JSON.stringify(openapiDocument(app)));
  });
  afterAll(() => app.close());

  const operations = (): [string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
    );

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document.openapi).toBe('3.1.0');
  });

  it('is what openapi.yaml holds (write it anew with `node scripts/openapi.mjs`)', () => {
    expect(read('openapi.yaml')).toBe(openapiYaml(app));
  });

  it('describes every route of the service', () => {
    expect(operations().map(([name]) => name)).toEqual([
      'post /api/v1/scrape',
      'get /api/v1/scrape/{taskId}',
      'get /api/v1/scrape/{taskId}/screenshot',
      'post /api/v1/scrape/sync',
      'post /api/v1/scrape/batch',
      'get /api/v1/scrape/jobs',
      'get /api/v1/scrape/jobs/{jobId}',
      'get /api/v1/scrape/jobs/{jobId}/results',
      'post /api/v1/scrape/jobs/{jobId}/cancel',
      'get /api/v1/scrape/jobs/{jobId}/events',
      'post /api/v1/retrievals',
      'get /api/v1/retrievals/{runId}',
      'get /api/v1/retrievals/{runId}/results',
      'post /api/v1/retrievals/{runId}/pause',
      'post /api/v1/retrievals/{runId}/resume',
      'post /api/v1/retrievals/{runId}/cancel',
      'get /api/v1/webhooks/deliveries',
      'get /api/v1/webhooks/deliveries/{deliveryId}',
      'post /api/v1/webhooks/deliveries/redeliver',
      'post /api/v1/webhooks/deliveries/{deliveryId}/redeliver',
      'post /api/v1/webhooks/test',
      'get /api/v1/domains',
      'get /api/v1/domains/{domain}',
      'post /api/v1/domains/{domain}/reset',
      'get /health',
      'get /readiness',
      'get /metrics',
    ]);
  });

  it('gives every route a name, a tag, and an example of its body and of each of its answers', () => {
    for (const [name, operation] of operations()) {
      expect(operation.operationId, name).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.tags, name).toHaveLength(1);
      for (const media of Object.values(operation.requestBody?.content ?? {}))
        expect(media.example, name).toBeDefined();
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description, `${name} ${status}`).not.toBe('Default Response');
        for (const [type, media] of Object.entries(response.content ?? {})) {
          if (type === 'image/png') continue;
          expect(media.example ?? media.examples, `${name} ${status}`).toBeDefined();
        }
      }
    }
  });

  it('asks for the key under /api and nowhere else', () => {
    for (const [name, operation] of operations()) {
      expect(operation.security === undefined, name).toBe(name.includes('/api/'));
    }
  });

  it('says what receivers are sent, and with which headers', () => {
    expect(Object.keys(document.webhooks)).toEqual(['jobEnded', 'taskEnded', 'ping']);
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      expect(post.security).toEqual([]);
      expect(post.parameters?.map(({ name }) => name)).toEqual([
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'X-Webhook-Signature',
        'X-Webhook-Attempt',
        'X-Webhook-Event',
      ]);
      const payload = post.requestBody?.content['application/json']?.example;
      expect(payload).toHaveProperty(name === 'ping' ? 'delivery_id' : 'summary');
    }
  });

  it('offers the Idempotency-Key wherever work is submitted, and nowhere else', () => {
    const offered = operations().filter(([, { parameters = [] }]) =>
      parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key'),
    );
    expect(offered.map(([name]) => name)).toEqual([
      'post /api/v1/scrape',
      'post /api/v1/scrape/sync',
      'post /api/v1/scrape/batch',
      'post /api/v1/retrievals',
    ]);
  });

  it('lists every error code', () => {
    expect(document.components.schemas.ErrorCode?.enum).toEqual(Object.keys(ERROR_TABLE));
  });

  it('is served as JSON and as YAML, the same document twice', async () => {
    const json = await app.inject('/openapi.json');
    const yaml = await app.inject('/openapi.yaml');
    expect(json.headers['content-type']).toMatch(/^application\/json/);
    expect(yaml.headers['content-type']).toMatch(/^application\/yaml/);
    expect(parse(yaml.body)).toEqual(json.json());
    expect(json.json()).toEqual(document);
  });

  it('can be read on a page that loads nothing from elsewhere', async () => {
    const page = await app.inject('/docs');
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(loaded.length).toBeGreaterThan(4);
    for (const url of loaded) {
      expect(url).toMatch(/^\/docs\/static\//);
      expect((await app.inject(url)).statusCode, url).toBe(200);
    }
    expect(page.headers['content-security-policy']).not.toMatch(/https?:|\*/);
    const start = await app.inject('/docs/static/swagger-initializer.js');
    expect(start.body).toContain('validatorUrl: null');
  });
});
