import { describe, expect, it } from 'vitest';
import { operationFor, operations, undocumented } from '../support/openapi.js';
import { fuzz } from './run.js';

const SEED = 20_260_105;

describe('ten thousand requests made from the API document', () => {
  it('are all answered as the document says, and none with a 5xx', { timeout: 240_000 }, async () => {
    const { answered, faults } = await fuzz({ requests: 10_000, seed: SEED });
    expect(faults.slice(0, 5), `npm run fuzz -- --requests 10000 --seed ${SEED}`).toEqual([]);
    const asked = operations.map(({ method, path }) => `${method} ${path}`);
    expect([...answered.keys()].sort()).toEqual(asked.sort());
    // Neither all refused nor all taken: both sides of every door were tried.
    for (const operation of operations.filter(({ path }) => path.startsWith('/api'))) {
      const statuses = [...answered.get(`${operation.method} ${operation.path}`)!.keys()];
      expect(statuses, operation.path).toEqual(expect.arrayContaining([401, 422]));
      // A run here is over before anybody can turn it; there are no pictures.
      if (!/(screenshot|pause|resume)$/.test(operation.path))
        expect(Math.min(...statuses), operation.path).toBeLessThan(300);
    }
  });
});

describe('the look at an answer', () => {
  const health = operationFor('GET', '/health')!;
  const task = operationFor('GET', '/api/v1/scrape/0190b5a2-7c20-7d0f-8a6e-5b1f0c3d2e11?wait=1')!;
  const json = 'application/json; charset=utf-8';

  it('knows an operation by its path, the one that is written out first', () => {
    expect(task.path).toBe('/api/v1/scrape/{taskId}');
    expect(operationFor('GET', '/api/v1/scrape/jobs')!.path).toBe('/api/v1/scrape/jobs');
    expect(operationFor('POST', '/health')).toBeUndefined();
  });

  it('finds a status, a type or a body that nobody has documented', () => {
    expect(undocumented(health, { status: 418, contentType: json, body: '{}' })[0]).toMatch('418');
    expect(undocumented(task, { status: 404, contentType: 'text/html', body: '' })[0]).toMatch('text/html');
    expect(undocumented(task, { status: 404, contentType: json, body: '{"success":false}' })).not.toEqual([]);
    const wrong = { success: false, data: null, error: 'No.', meta: { code: 'no_such_code', retryable: false } };
    expect(undocumented(task, { status: 404, contentType: json, body: JSON.stringify(wrong) }).join()).toMatch('code');
  });
});
