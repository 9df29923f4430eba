// A receiver of gleaner's webhooks: verifies each, tells of each event once, answers 204. After `npm run build`:
//
//   WEBHOOK_SECRETS=whsec_… node examples/webhook-receiver.mjs
//
// Without WEBHOOK_SECRETS (newest first, separated by commas) it takes what the service has generated in
// data/webhook-secret. The service calls addresses of this machine only with SCRAPER_EGRESS_ALLOW=127.0.0.1.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { verify, WebhookVerificationError } from 'gleaner/webhook';

/** A job may bring 8 MiB of results, and what stands around them. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Events come again for a day or so if we were out of reach; as many ids as that may be. */
const MOST_IDS = 10_000;

const secrets = (process.env.WEBHOOK_SECRETS || generatedSecret())
  .split(',')
  .map((secret) => secret.trim())
  .filter((secret) => secret !== '');

const server = createServer({ requestTimeout: 30_000 }, async (request, response) => {
  const status = await receive(request).catch(statusOf);
  // What is left of a body that is too large is not waited for.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status).end();
});

server.listen(Number(process.env.PORT || 8090), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

function generatedSecret() {
  try {
    return readFileSync('data/webhook-secret', 'utf8');
  } catch {
    console.error('There is no data/webhook-secret here: set WEBHOOK_SECRETS to what the service signs with.');
    process.exit(1);
  }
}

async function receive(request) {
  if (request.method !== 'POST') return 405;
  const body = await rawBody(request);
  if (body === null) return 413;
  const webhook = verify(request.headers, body, secrets);
  // An event may come twice: its first 204 was lost, or somebody asked for it again. Both times it is a success.
  if (known.has(webhook.id)) return 204;
  handle(webhook);
  // Only now: had the handling thrown, the next attempt would be welcome.
  remember(webhook.id);
  return 204;
}

/** The bytes as they came: what is signed is them, not what a JSON parser makes of them. */
async function rawBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Your work goes here. If it takes more than a few seconds, note it down and do it after the answer. */
function handle({ id, timestamp, attempt, event, payload }) {
  console.log(JSON.stringify({ id, event, attempt, timestamp, payload }));
}

const known = new Set();

function remember(id) {
  known.add(id);
  // A Set keeps the order of arrival: the first is the oldest.
  if (known.size > MOST_IDS) known.delete(known.values().next().value);
}

/** The sender is told that it failed, and not why: that is for our own log. */
function statusOf(error) {
  const isRefused = error instanceof WebhookVerificationError && error.reason !== 'bad_secret';
  console.error(isRefused ? `refused (${error.reason}): ${error.message}` : error);
  return isRefused ? 400 : 500;
}
