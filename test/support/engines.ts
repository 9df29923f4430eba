import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { engineOf } from '../../src/fetching/chromium-flags.js';
import { PROJECT, part } from '../scripts/temp-project.js';

const { findChromium } = await part('setup/chromium.mjs');

/** What is installed here, wherever; `null` if it is not. Found by the set-up, because tests lead the service astray. */
export const installed = { shell: await find('shell'), chromium: await find('chromium') };

const skipped = (name: string): string => ` (skipped: ${name} is not installed here)`;

/** For the titles of what is skipped without one of them. */
export const whyNoShell = installed.shell ? '' : skipped('the headless shell');
export const whyNoFull = installed.chromium ? '' : skipped('full Chromium');

async function find(engine: string): Promise<string | null> {
  const { SCRAPER_CHROMIUM_PATH, PLAYWRIGHT_BROWSERS_PATH, ...env } = process.env;
  const path = await findChromium(PROJECT, { ...env, SCRAPER_BROWSER_ENGINE: engine });
  return path && engineOf(path) === engine ? path : null;
}

/** A program by another name, or with other switches. */
export function programIn(directory: string, name: string, command: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\nexec ${command}\n`);
  chmodSync(path, 0o755);
  return path;
}
