/**
 * Kills a service under load, again and again, and shows that nothing was lost by it.
 *
 *   npm run soak:crash [-- --kills 200 --seed 1]
 *
 * The seed chooses load, kinds and moments; what runs at such a moment is the machine's own doing, so a replay hits the
 * same places, not the same instructions.
 */
import { parseArgs } from 'node:util';
import { tempDir } from '../support/temp-dir.js';
import { runCrashes } from './crash-run.js';
import { crashTable } from './crash-table.js';
import { makePlace } from './service-run.js';
import { wholeNumber } from './whole-number.js';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' }, quiet: { type: 'boolean' } },
});
const kills = wholeNumber('--kills', values.kills);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('--seed', values.seed);
const directory = tempDir('crash');
const say = values.quiet ? undefined : (line: string) => process.stderr.write(`${line}\n`);
try {
  const report = await runCrashes({ kills, seed, place: makePlace(directory.path), built: true, ...(say && { say }) });
  console.log(crashTable(report));
  for (const { kind, what } of report.findings) console.log(`${kind}: ${what}`);
  if (report.findings.length > 0) {
    console.log(`\nReplay with: npm run soak:crash -- --kills ${kills} --seed ${seed}`);
    process.exitCode = 1;
  }
} finally {
  directory.remove();
}
