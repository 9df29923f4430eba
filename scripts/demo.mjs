// The service beside a small website of ours, so that everything can be tried without the internet.
// Nothing is left behind: its data live in a temporary folder for as long as it runs.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoCases, startDemoSite } from './demo-site.mjs';
import { setUpOrExit } from './setup.mjs';

const KEY = 'demo-key';
/** Everybody may know it: nothing but the demo signs with it. */
const SECRET = 'whsec_ZGVtb25zdHJhdGlvbg==';
const POLICIES = `domains:
  127.0.0.1:
    tokens_per_interval: 20
    interval_seconds: 1
    min_delay_ms: 0
    max_delay_ms: 50
`;

const { chromium } = await setUpOrExit();
const site = await startDemoSite({ port: Number(process.env.DEMO_SITE_PORT ?? 8099) }).catch((error) => {
  process.stderr.write(`The demo site cannot listen (${error.message}); DEMO_SITE_PORT chooses another port.\n`);
  process.exit(1);
});
const folder = mkdtempSync(join(tmpdir(), 'gleaner-demo-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'domain-policies.yaml'), POLICIES);
writeFileSync(join(folder, 'case-records.yaml'), demoCases(site.url));

process.env.SCRAPER_CHROMIUM_PATH ||= chromium;
Object.assign(process.env, {
  SCRAPER_SERVICE_KEY: KEY,
  SCRAPER_WEBHOOK_SECRET: SECRET,
  SCRAPER_DATA_DIR: join(folder, 'data'),
  SCRAPER_EGRESS_ALLOW: '127.0.0.1',
  SCRAPER_DOMAIN_POLICIES_PATH: join(folder, 'domain-policies.yaml'),
  SCRAPER_CASE_RECORDS_PATH: join(folder, 'case-records.yaml'),
});

const port = process.env.SCRAPER_PORT || '8001';
process.stderr.write(`
The demo site is at ${site.url}, the service at http://127.0.0.1:${port} with the key ${KEY}. Try:

  curl -s http://127.0.0.1:${port}/api/v1/scrape/sync -H 'X-Service-Key: ${KEY}' -H 'Content-Type: application/json' \\
    -d '{"target_type":"job_posting","target_url":"${site.url}/jobs/1","workspace_id":"demo"}'

A receiver of its webhooks, for callback_url http://127.0.0.1:8090/:

  WEBHOOK_SECRETS=${SECRET} node examples/webhook-receiver.mjs

`);
await import('../dist/main.js');
