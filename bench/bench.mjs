// `npm run bench`: sets up what is missing, as `npm start` does, then measures with the Chromium that the service takes.
import { setUpOrExit } from '../scripts/setup.mjs';

const { chromium } = await setUpOrExit();
process.env.SCRAPER_CHROMIUM_PATH ||= chromium;
// Only now: it may have been the set-up that installed it.
const { register } = await import('tsx/esm/api');
register();
await import('./compare.ts');
