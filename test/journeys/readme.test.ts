import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { journeyEnv, SERVICE_KEY, startService } from '../support/service.js';
import { tempDir } from '../support/temp-dir.js';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../../scripts/demo-site.mjs');
const { startDemoSite, demoCases } = await import(pathToFileURL(script).href);

/** The shell blocks of the README that talk to the service. */
const blocks = [...readFileSync('README.md', 'utf8').matchAll(/```sh\n(.*?)```/gs)]
  .map((match) => match[1] ?? '')
  .filter((block) => block.includes('curl'));

describe('the README', () => {
  it('has curl lines that work as printed, against the demo site', async () => {
    const site = await startDemoSite({ port: 0 });
    const directory = tempDir('readme');
    const cases = join(directory.path, 'case-records.yaml');
    writeFileSync(cases, demoCases(site.url));
    const api = await startService(journeyEnv(directory.path, { SCRAPER_CASE_RECORDS_PATH: cases }));
    expect(blocks.length).toBeGreaterThanOrEqual(4);
    for (const block of blocks) {
      // Answers do not end in a newline; told apart they must be.
      const lines = `curl() { command curl "$@"; echo; }\n${block.replaceAll('http://127.0.0.1:8099', site.url)}`;
      const env = { ...process.env, KEY: SERVICE_KEY, API: api.address };
      const { stdout } = await run('bash', ['-eu', '-o', 'pipefail', '-c', lines], { env, cwd: directory.path });
      const answers = stdout.split('\n').filter((line) => line.startsWith('{'));
      expect(answers.length, block).toBeGreaterThan(0);
      for (const answer of answers) expect(JSON.parse(answer), block).toMatchObject({ success: true });
    }
    expect(readFileSync(join(directory.path, 'news.png')).subarray(1, 4).toString()).toBe('PNG');
    await api.service.stop(5_000);
    await site.close();
    directory.remove();
  });
});
