import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/demo-site.mjs');
const { startDemoSite } = await import(pathToFileURL(script).href);

let site: { url: string; close(): Promise<void> };
beforeAll(async () => {
  site = await startDemoSite({ port: 0 });
});
afterAll(() => site.close());

const get = async (path: string) => {
  const answer = await fetch(site.url + path);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};

/** The structured data of a page, by its type. */
const dataOf = (html: string) => {
  const found = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html);
  return found ? JSON.parse(found[1]!) : null;
};

describe('the demo site', () => {
  it.each([
    ['/jobs/1', 'JobPosting'],
    ['/company', 'Organization'],
    ['/profile', 'Person'],
  ])('serves %s complete, with a %s inside', async (path, type) => {
    const { status, text } = await get(path);
    expect(status).toBe(200);
    expect(dataOf(text)['@type']).toBe(type);
  });

  it('serves a posting that only a browser sees', async () => {
    const { text } = await get('/jobs/2');
    expect(dataOf(text)).toBeNull();
    expect(text).not.toContain('Lock Keeper');
    expect(JSON.parse((await get('/jobs/2.json')).text).title).toBe('Lock Keeper');
    expect((await get('/jobs/2.js')).type).toBe('text/javascript');
  });

  it('takes webhooks', async () => {
    expect((await fetch(`${site.url}/hooks`, { method: 'POST', body: '{}' })).status).toBe(204);
  });

  it('has a robots.txt that forbids a part, links to all of it, and knows what it does not have', async () => {
    expect((await get('/robots.txt')).text).toContain('Disallow: /private/');
    expect((await get('/')).text).toContain('href="/private/notes"');
    expect((await get('/nothing')).status).toBe(404);
    expect((await get('/constructor')).status).toBe(404);
  });
});
