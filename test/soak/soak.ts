/**
 * A mixed load for some minutes: the first half in peace, the second with one fault to ten tasks around it.
 *
 *   npm run soak [-- --minutes 10 --seed 1]
 */
import { parseArgs } from 'node:util';
import { tempDir } from '../support/temp-dir.js';
import { makePlace } from './service-run.js';
import { runSoak } from './soak-run.js';
import { soakTable } from './soak-table.js';
import { wholeNumber } from './whole-number.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' }, quiet: { type: 'boolean' } },
});
const minutes = wholeNumber('--minutes', values.minutes);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('--seed', values.seed);
const directory = tempDir('soak');
const say = values.quiet ? undefined : (line: string) => process.stderr.write(`${line}\n`);
try {
  const report = await runSoak({ minutes, seed, place: makePlace(directory.path), built: true, ...(say && { say }) });
  console.log(soakTable(report));
  for (const { kind, what } of report.findings) console.log(`${kind}: ${what}`);
  if (report.findings.length > 0) {
    console.log(`\nRun again with: npm run soak -- --minutes ${minutes} --seed ${seed}`);
    process.exitCode = 1;
  }
} finally {
  directory.remove();
}
