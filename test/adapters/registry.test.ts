import { describe, expect, it } from 'vitest';
import { jobPosting } from '../../src/adapters/job-posting.js';
import { createRegistry } from '../../src/adapters/registry.js';
import { fieldsOf } from '../../src/domain/adapter.js';

describe('the registry of adapters', () => {
  it('knows the kinds of pages and their fields', () => {
    const registry = createRegistry();
    expect(registry.types()).toEqual(['linkedin_profile', 'company_website', 'job_posting', 'web_page']);
    for (const type of registry.types()) expect(registry.get(type)?.targetType).toBe(type);
    expect(registry.get('toString')).toBeUndefined();
    expect(fieldsOf(jobPosting)).toEqual([
      'job_title',
      'company_name',
      'location',
      'salary_range',
      'salary',
      'description',
      'posting_url',
    ]);
  });

  it('takes another list, and refuses two adapters for one kind', () => {
    expect(createRegistry([jobPosting]).types()).toEqual(['job_posting']);
    expect(() => createRegistry([jobPosting, { ...jobPosting, version: '2' }])).toThrow('job_posting');
  });
});
