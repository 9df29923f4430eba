import closeWithGrace from 'close-with-grace';
import { compose, type Service } from './compose.js';
import { type Config, loadConfig, SettingsError } from './config.js';

/** A handler for these returns to the very instruction that failed: the process would spin for ever instead of dying. */
const CRASHES: closeWithGrace.AllEvents[] = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'];

/** Reads the settings, builds the service, listens, and stops with grace. The only place that ends the process. */
const config = readConfig();
const opening = open(config);

// Before the service has opened: a signal during the start stops it as well. A second signal while closing exits at
// once: what was running is still marked so and is visited again.
closeWithGrace({ delay: false, logger: undefined, skip: CRASHES }, async ({ err, signal }) => {
  const service = await opening;
  const { log } = service.telemetry;
  if (err) log.error({ err }, 'something unforeseen happened; stopping');
  else log.info({ signal }, 'stopping');
  await service.stop(err ? 0 : config.settings.gracefulShutdownSeconds * 1_000, { isCrash: Boolean(err) });
  log.info({}, 'stopped');
});

function readConfig(): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    return leave(error);
  }
}

/** A few words instead of a stack trace: whoever starts a service is not the one who wrote it. */
function leave(error: unknown): never {
  process.stderr.write(`gleaner cannot start: ${error instanceof Error ? error.message : error}\n`);
  // 78 is EX_CONFIG: starting again without a change will not help.
  process.exit(error instanceof SettingsError ? 78 : 1);
}

async function open(config: Config): Promise<Service> {
  const service = await compose(config).catch(leave);
  try {
    await service.start();
    return service;
  } catch (error) {
    service.telemetry.log.error({ err: error }, 'the service could not start');
    await service.stop(0);
    process.exit(1);
  }
}
