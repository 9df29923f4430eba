import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PageServer, startPageServer } from '../support/page-server.js';
import { useService } from '../support/service.js';

type Make = 'static' | 'scripted' | 'lacking';

const posting = (n: string) => ({ '@context': 'https://schema.org', '@type': 'JobPosting', title: `Baker ${n}` });
const prose = '<p>The work is hard, the days are long, and the view from the roof is wonderful.</p>'.repeat(8);

/** The posting in the page, written by a script, or nowhere: text like any other, beside a script that does nothing. */
const PAGES: Record<Make, (n: string) => string> = {
  static: (n) =>
    `<title>Baker ${n}</title><script type="application/ld+json">${JSON.stringify(posting(n))}</script>
     <h1>Baker ${n}</h1>${prose}<script src="/app.js"></script>`,
  scripted: (n) =>
    `<title>Crumb</title><div id="root"></div><script src="/app.js"></script><script>
     fetch('/data?n=${n}').then((answer) => answer.json()).then((data) => {
       document.getElementById('root').innerHTML = '<h1></h1>${prose}';
       document.querySelector('h1').textContent = data.title;
       const block = document.createElement('script');
       block.type = 'application/ld+json';
       block.textContent = JSON.stringify(data);
       document.head.append(block);
     });</script>`,
  lacking: () => `<title>Careers</title><h1>Join us</h1>${prose}<script src="/app.js"></script>`,
};

describe('render: auto, with real Chromium', () => {
  const used = useService('auto-render');
  const sites: Record<Make, PageServer> = {} as Record<Make, PageServer>;
  /** What each site is made like now. */
  const makes: Record<Make, Make> = { static: 'static', scripted: 'scripted', lacking: 'lacking' };
  let visits = 0;

  beforeAll(async () => {
    for (const [at, name] of (Object.keys(makes) as Make[]).entries()) {
      sites[name] = await startPageServer(
        {
          '/job': (url) => PAGES[makes[name]](url.searchParams.get('n') ?? ''),
          '/data': (url) => JSON.stringify(posting(url.searchParams.get('n') ?? '')),
          '/app.js': '',
          '/robots.txt': '',
        },
        `127.0.0.${20 + at}`,
      );
    }
  });
  afterAll(async () => {
    for (const site of Object.values(sites)) await site.close();
  });

  /** One task to its end: which way its result came, and how often the site was asked for the page. */
  async function visit(name: Make): Promise<{ by: string; pages: number; title: unknown }> {
    visits += 1;
    const before = pagesOf(name);
    const { body } = await used.api.post('/api/v1/scrape/sync', {
      target_type: 'job_posting',
      target_url: sites[name].url(`/job?n=${visits}`),
      workspace_id: 'ws-1',
    });
    expect(body.data).toMatchObject({ status: 'completed', attempts: 1 });
    if (makes[name] !== 'lacking') expect(body.data.result.job_title).toBe(`Baker ${visits}`);
    const { result, meta } = body.data;
    return { by: meta.rendered_by, pages: pagesOf(name) - before, title: result.job_title };
  }
  const visitAll = async (name: Make, count: number) => {
    const ends = [];
    for (let n = 0; n < count; n += 1) ends.push(await visit(name));
    return ends.map(({ by, pages }) => `${by} after ${pages}`);
  };
  const asked = (name: Make, path: string): number => sites[name].seen.filter((one) => one.path === path).length;
  const pagesOf = (name: Make): number => asked(name, '/job');
  const habitOf = async (name: Make): Promise<unknown> => {
    const { hostname } = new URL(sites[name].url('/'));
    return (await used.api.get(`/api/v1/domains/${hostname}`)).body.data.render;
  };
  const times = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

  it('never opens a browser for a site that is there as it is sent', async () => {
    expect(await visitAll('static', 10)).toEqual(times(10, 'http after 1'));
    expect(asked('static', '/app.js')).toBe(0);
    expect(await habitOf('static')).toEqual([{ target_type: 'job_posting', habit: 'http_first' }]);
  });

  it('stops opening one where the pages do not say it either way', async () => {
    expect(await visitAll('lacking', 6)).toEqual([...times(3, 'browser after 2'), ...times(3, 'http after 1')]);
    expect(asked('lacking', '/app.js')).toBe(3);
    expect(await habitOf('lacking')).toEqual([{ target_type: 'job_posting', habit: 'kept_on_http' }]);
  });

  it('goes straight to it where it is needed, and back when the site has changed', { timeout: 240_000 }, async () => {
    makes.scripted = 'static';
    expect(await visitAll('scripted', 1)).toEqual(['http after 1']);
    makes.scripted = 'scripted';
    expect(await visitAll('scripted', 6)).toEqual([...times(4, 'browser after 2'), ...times(2, 'browser after 1')]);
    expect(await habitOf('scripted')).toEqual([{ target_type: 'job_posting', habit: 'straight_to_browser' }]);
    makes.scripted = 'static';
    expect(await visitAll('scripted', 20)).toEqual([...times(17, 'browser after 1'), ...times(3, 'http after 1')]);
    expect(await habitOf('scripted')).toEqual([{ target_type: 'job_posting', habit: 'http_first' }]);
  });

  it('shows the operator what it decided, and where a browser was not needed', async () => {
    const metrics = await (await fetch(`${used.api.address}/metrics`)).text();
    const value = (series: string): number =>
      Number(new RegExp(`^scraper_${series.replace(/[{}]/g, '\\$&')} (\\d+)$`, 'm').exec(metrics)?.[1]);
    const of = (label: string): string => `{target_type="job_posting",${label}}`;
    expect(value(`auto_decisions_total${of('decision="straight_to_browser"')}`)).toBe(19);
    expect(value(`auto_decisions_total${of('decision="reprobe_http"')}`)).toBe(1);
    expect(value(`auto_decisions_total${of('decision="kept_on_http"')}`)).toBe(3);
    expect(value(`escalations_total${of('sign="script_shell"')}`)).toBe(4);
    expect(value(`escalations_total${of('sign="none"')}`)).toBe(3);
    expect(value(`browser_not_needed_total${of('found="brought_no_more"')}`)).toBe(3);
    expect(value(`browser_not_needed_total${of('found="http_is_enough"')}`)).toBe(1);
  });
});
