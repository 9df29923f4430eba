// Compiles src to dist, whether or not it looks necessary.

import { build } from './setup/build.mjs';
import { createProgress } from './setup/progress.mjs';
import { SetupError } from './setup/run.mjs';
import { ROOT } from './setup.mjs';

try {
  await createProgress().step('Building', () => build(ROOT));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`${error.output}\n\n${error.message}\n`);
  process.exitCode = 1;
}
