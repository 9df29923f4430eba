import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { runCli } from './cli/program.js';
import type { OpenHost } from './cli/retrieve.js';
import { extractOffline, targetTypes } from './offline.js';

// `gleaner … | head` is no fault of anybody. A run that nobody listens to any more rests, as at Ctrl-C.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  process.stdout.on('error', () => undefined);
  if (error.code !== 'EPIPE') process.exit(1);
  if (!process.emit('SIGINT', 'SIGINT')) process.exit(0);
});

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Loaded when it is needed: reading a saved page takes none of it. */
const openHost: OpenHost = async ({ isVerbose }) => {
  const [{ compose }, { loadConfig }] = await Promise.all([import('./compose.js'), import('./config.js')]);
  const config = loadConfig(process.env);
  const logTo = { write: (line: string) => void (isVerbose && process.stderr.write(line)) };
  const service = await compose(config, { logTo });
  await service.start({ isDoorShut: true });
  return {
    planned: service.engine.planned,
    newRequestId: uuidv7,
    filesOf: (runId) => join(config.settings.dataDir, 'retrievals', runId),
    stop: () => service.stop(config.settings.gracefulShutdownSeconds * 1_000),
  };
};

process.exitCode = await runCli(process.argv, {
  version,
  extractOffline,
  targetTypes: targetTypes(),
  now: Date.now(),
  openHost,
});
