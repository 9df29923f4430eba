import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../src/adapters/registry.js';
import { type Adapter, FORMATS } from '../../src/domain/adapter.js';
import { formatFaults, settledWish } from '../../src/domain/formats.js';
import { aSpec } from '../support/tasks.js';

const job = createRegistry().get('job_posting') as Adapter;
const page: Adapter = { ...job, targetType: 'web_page', formats: FORMATS };

describe('the formats of a wish', () => {
  it('may not be given where the kind of page has none', () => {
    expect(formatFaults(aSpec(), job)).toEqual([]);
    expect(formatFaults(aSpec({ formats: ['text'] }), job, 'targets[2].')).toEqual([
      { field: 'targets[2].formats', message: 'must be left out: job_posting has no formats', value: ['text'] },
    ]);
  });

  it('may hold a screenshot only where a browser may be used', () => {
    expect(formatFaults(aSpec({ formats: ['screenshot'], render: 'http' }), page)).toMatchObject([{ field: 'render' }]);
    expect(formatFaults(aSpec({ requestedFields: ['screenshot'], render: 'http' }), page)).toHaveLength(1);
    expect(formatFaults(aSpec({ formats: ['screenshot'], render: 'auto' }), page)).toEqual([]);
    expect(formatFaults(aSpec({ formats: ['text', 'links'], render: 'http' }), page)).toEqual([]);
  });

  it('are the named ones, else those asked for as fields, else the text', () => {
    expect(settledWish(aSpec({ formats: ['links'] }), page).formats).toEqual(['links']);
    expect(settledWish(aSpec({ requestedFields: ['title', 'markdown'] }), page).formats).toEqual(['markdown']);
    expect(settledWish(aSpec({ requestedFields: ['title'] }), page).formats).toEqual([]);
    expect(settledWish(aSpec(), page).formats).toEqual(['text']);
    expect(settledWish(aSpec({ requestedFields: ['job_title'] }), job)).toEqual(
      aSpec({ requestedFields: ['job_title'] }),
    );
  });

  it('are among the fields of the answer, and a screenshot is taken by a browser', () => {
    const wish = settledWish(aSpec({ requestedFields: ['title'], formats: ['screenshot'], render: 'auto' }), page);
    expect(wish).toMatchObject({ requestedFields: ['title', 'screenshot'], render: 'browser' });
    expect(settledWish(aSpec({ formats: ['text'], render: 'auto' }), page).render).toBe('auto');
  });
});
