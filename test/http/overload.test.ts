import { afterEach, describe, expect, it } from 'vitest';
import { GleanerError } from '../../src/domain/errors.js';
import { openDoor, SCRAPE, type TestDoor, target } from './support.js';

const refusal = new GleanerError('overloaded', 'The service is short of memory and takes no new work.', {
  retryAfterMs: 5_000,
});

describe('an overloaded service', () => {
  let door: TestDoor;
  afterEach(() => door.app.close());

  it('refuses the four submits with 503 and Retry-After, and nothing else', async () => {
    let isOverloaded = false;
    let counted = 0;
    const refuse = () => {
      if (isOverloaded) counted += 1;
      return isOverloaded ? refusal : null;
    };
    door = await openDoor({ overload: { current: () => (isOverloaded ? refusal : null), refuse } });
    const batch = { targets: [target()] };
    const accepted = await door.post(`${SCRAPE}/batch`, batch);
    expect(accepted.statusCode).toBe(202);
    const { job_id: jobId, task_ids: taskIds } = accepted.json().data;
    isOverloaded = true;
    for (const [path, body] of [
      [SCRAPE, target()],
      [`${SCRAPE}/sync`, target()],
      [`${SCRAPE}/batch`, batch],
      ['/api/v1/retrievals', { adapter: 'court', workspace_id: 'ws', identifiers: ['IMM-1-25'] }],
    ] as const) {
      const refused = await door.post(path, body);
      expect(refused.statusCode).toBe(503);
      expect(refused.headers['retry-after']).toBe('5');
      expect(refused.json()).toMatchObject({ success: false, meta: { code: 'overloaded', retryable: true } });
    }
    expect(counted).toBe(4);
    expect(door.engine.tasks.size).toBe(1);
    expect((await door.get(`${SCRAPE}/${taskIds[0]}`)).statusCode).toBe(200);
    expect((await door.get('/health')).statusCode).toBe(200);
    expect((await door.get('/metrics')).statusCode).toBe(200);
    const ready = await door.get('/readiness');
    expect([ready.statusCode, ready.json().meta.code]).toEqual([503, 'overloaded']);
    expect((await door.post(`${SCRAPE}/jobs/${jobId}/cancel`, undefined)).statusCode).toBe(200);
    isOverloaded = false;
    expect((await door.post(SCRAPE, target())).statusCode).toBe(202);
    expect((await door.get('/readiness')).statusCode).toBe(200);
    expect(counted).toBe(4);
  });
});
