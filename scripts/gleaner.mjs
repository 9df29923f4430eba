#!/usr/bin/env node
// The command line: `npx gleaner …`. Sets up what is missing (packages and build; no command needs a browser), telling
// of it on stderr, then hands over to the built command.
import { setUpOrExit } from './setup.mjs';

await setUpOrExit({ chromium: false });
await import('../dist/gleaner.js');
