import { readFileSync } from 'node:fs';
import { runCli } from './cli/program.js';
import { extractOffline, targetTypes } from './offline.js';

// `gleaner … | head` is no fault of anybody.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

process.exitCode = await runCli(process.argv, { version, extractOffline, targetTypes: targetTypes(), now: Date.now() });
