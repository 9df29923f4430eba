import { beforeEach, describe, expect, it } from 'vitest';
import { openDoor, SCRAPE, type TestDoor, target } from './support.js';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const page = (changes: Record<string, unknown> = {}) => target({ target_type: 'web_page', ...changes });

describe('formats', () => {
  let door: TestDoor;
  beforeEach(async () => {
    door = await openDoor();
  });

  const submitted = async (body: Record<string, unknown>): Promise<string> =>
    (await door.post(SCRAPE, body)).json().data.task_id;
  const faults = async (body: Record<string, unknown>) => (await door.post(SCRAPE, body)).json().meta.fields;

  it('are kept with the task, and a screenshot makes it a visit with a browser', async () => {
    const id = await submitted(page({ formats: ['markdown', 'screenshot'], requested_fields: ['title'] }));
    const shown = (await door.get(`${SCRAPE}/${id}`)).json().data;
    expect(shown).toMatchObject({ formats: ['markdown', 'screenshot'], render: 'browser' });
    expect(shown.requested_fields).toEqual(['title', 'markdown', 'screenshot']);
  });

  it('that do not exist or do not fit are named', async () => {
    expect(await faults(page({ formats: ['pdf'] }))).toMatchObject([{ field: 'formats[0]', value: 'pdf' }]);
    expect(await faults(page({ formats: [] }))).toMatchObject([{ field: 'formats' }]);
    expect(await faults(target({ formats: ['text'] }))).toMatchObject([{ field: 'formats' }]);
    expect(await faults(page({ formats: ['screenshot'], render: 'http' }))).toMatchObject([
      { field: 'render', value: 'http' },
    ]);
  });

  it('give a picture its own address, which answers with the bytes', async () => {
    const id = await submitted(page({ formats: ['screenshot'] }));
    door.engine.complete(id, { title: 'A page', screenshot: `${id}.png` });
    door.engine.pictures.set(id, PNG);
    const path = (await door.get(`${SCRAPE}/${id}`)).json().data.result.screenshot;
    expect(path).toBe(`${SCRAPE}/${id}/screenshot`);
    const answer = await door.get(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('image/png');
    expect(answer.rawPayload).toEqual(PNG);
  });

  it('answer 404 where there is no picture or no task, and 401 without a key', async () => {
    const id = await submitted(page());
    expect((await door.get(`${SCRAPE}/${id}/screenshot`)).json().meta.code).toBe('screenshot_not_found');
    expect((await door.get(`${SCRAPE}/no-such-task/screenshot`)).json().meta.code).toBe('task_not_found');
    const bare = await door.app.inject({ method: 'GET', url: `${SCRAPE}/${id}/screenshot` });
    expect(bare.statusCode).toBe(401);
  });
});
