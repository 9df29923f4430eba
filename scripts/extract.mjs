// `npm run --silent extract -- …`: sets up what is missing, then `gleaner extract …`. Only the command writes to stdout.
import { spawnSync } from 'node:child_process';
import { ROOT, setUpOrExit } from './setup.mjs';

await setUpOrExit();
const { status } = spawnSync(process.execPath, [`${ROOT}/dist/gleaner.js`, 'extract', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
