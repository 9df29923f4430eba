import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startReceiver } from '../support/receiver.js';
import { journeyEnv, postingAt, startService } from '../support/service.js';
import { startSite } from '../support/site.js';
import { tempDir } from '../support/temp-dir.js';
import { told } from '../support/told.js';

it('a first start makes its own key and webhook secret, signs with it, names the files and logs neither', async () => {
  const directory = tempDir('first-start');
  const [site, receiver] = [await startSite(), await startReceiver()];
  const { SCRAPER_SERVICE_KEY: _none, ...env } = journeyEnv(directory.path, { SCRAPER_CHROMIUM_PATH: '/bin/false' });
  const api = await startService(env);
  try {
    const fileOf = (name: string): string => join(directory.path, 'data', name);
    const [key, secret] = ['service-key', 'webhook-secret'].map((name) => readFileSync(fileOf(name), 'utf8').trim());
    for (const name of ['service-key', 'webhook-secret']) expect(statSync(fileOf(name)).mode & 0o777).toBe(0o600);

    const body = postingAt(site.url('/job/1'), { callback_url: receiver.url('/hook') });
    const headers = { 'x-service-key': key ?? '' };
    expect(
      (await api.post('/api/v1/scrape', body, { headers: { ...headers, 'content-type': 'application/json' } })).status,
    ).toBe(202);
    await receiver.until(1);
    expect(told(receiver, secret)).toHaveLength(1);

    // Should somebody ever log them, they are not to be read.
    for (const value of [key, secret]) api.service.telemetry.log.info({ note: `it is ${value}` }, `it is ${value}`);
    const log = api.lines.join('');
    expect(log).toContain('it is [redacted]');
    expect(log).toContain(fileOf('webhook-secret'));
    for (const value of [key, secret, secret?.slice('whsec_'.length)]) expect(log).not.toContain(value);
  } finally {
    await api.service.stop(1_000);
    await receiver.close();
    await site.close();
    directory.remove();
  }
});
