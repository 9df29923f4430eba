// Sets up what is missing, then becomes the service: same process, so that signals reach it.
import { setUpOrExit } from './setup.mjs';

const { chromium } = await setUpOrExit();
process.env.SCRAPER_CHROMIUM_PATH ||= chromium;
await import('../dist/main.js');
