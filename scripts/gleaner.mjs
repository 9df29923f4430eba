#!/usr/bin/env node
// The command line: `npx gleaner …`. Sets up what is missing (packages, build, and a browser for the one command that
// may need it), telling of it on stderr, then hands over to the built command.
import { setUpOrExit } from './setup.mjs';

const { chromium } = await setUpOrExit({ chromium: process.argv[2] === 'retrieve' });
if (chromium) process.env.SCRAPER_CHROMIUM_PATH ||= chromium;
await import('../dist/gleaner.js');
