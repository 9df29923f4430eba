/**
 * Ours, through REST and durable: every page is a `POST /api/v1/scrape` and a `GET` that waits for its result. Service,
 * browsers and this client are all in the measured process tree.
 */
import { Agent, request } from 'undici';
import { factsAt } from './facts.mjs';
import { leave, Meter, readAll, runnerOptions } from './runner.mjs';
import { cpuMsOf, SERVICE_KEY, startService } from './service.mjs';

const options = runnerOptions({ render: 'auto' });
const TYPES = {
  job: { type: 'job_posting', field: 'job_title' },
  js: { type: 'job_posting', field: 'job_title' },
  company: { type: 'company_website', field: 'company_name' },
};
const { type, field } = TYPES[options.kind];

/** As fast as the peers, who ask nobody: only the rates and pauses are lifted, robots.txt is respected. */
const POLICIES = `domains:
  default:
    tokens_per_interval: 10000
    interval_seconds: 1
    min_delay_ms: 0
    max_delay_ms: 0
    max_concurrent: 64
`;
const service = await startService({
  policies: POLICIES,
  env: { SCRAPER_CHROMIUM_PATH: options.chromium, ...options.env },
});
const dispatcher = new Agent({ connections: options.atOnce, headersTimeout: 90_000 });
const headers = { 'x-service-key': SERVICE_KEY, 'content-type': 'application/json' };

let serviceCpuAtStart = 0;
const renderedBy = new Map();
const meter = new Meter(options, {
  begin() {
    serviceCpuAtStart = cpuMsOf(service.pid);
    renderedBy.clear();
  },
  end(pages, clientCpuMs) {
    const serviceCpuMs = (cpuMsOf(service.pid) - serviceCpuAtStart) / pages;
    return {
      clientCpuMs,
      serviceCpuMs,
      nodeCpuMs: clientCpuMs + serviceCpuMs,
      renderedBy: Object.fromEntries(renderedBy),
    };
  },
});
await readAll(options, meter, scrape, faultOfTask);
await service.stop();
leave();

async function scrape(url) {
  const target = { target_type: type, target_url: url, workspace_id: 'bench', render: options.render };
  const accepted = await call('/api/v1/scrape', { method: 'POST', body: JSON.stringify(target) });
  return call(`/api/v1/scrape/${accepted.task_id}?wait=60`, { method: 'GET' });
}

async function call(path, init) {
  const { statusCode, body } = await request(service.address + path, { ...init, headers, dispatcher });
  const answer = await body.json();
  if (statusCode >= 300) throw new Error(`${statusCode} ${answer.meta?.code}: ${answer.error}`);
  return answer.data;
}

function faultOfTask(url, task) {
  const way = task.meta?.rendered_by ?? 'nothing';
  renderedBy.set(way, (renderedBy.get(way) ?? 0) + 1);
  const value = task.result?.[field];
  if (value === factsAt(url).value) return null;
  return `${url}: ${task.status}, ${field} is ${JSON.stringify(value)} ${JSON.stringify(task.error ?? null)}`;
}
