/**
 * A run of 2,000 cases on a local site (found, no record, flaky, broken, slow), killed with -9 at random moments.
 *
 *   npm run soak:retrieval [-- --ids 2000 --kills 25 --seed 1 --base-ms 25 --longest-ms 2500]
 */
import { parseArgs } from 'node:util';
import { soakRetrieval } from '../support/retrieval-soak.js';

const { values } = parseArgs({
  options: {
    ids: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
    'longest-ms': { type: 'string', default: '2500' },
    'base-ms': { type: 'string', default: '25' },
  },
});
const options = {
  ids: Number(values.ids),
  kills: Number(values.kills),
  seed: Number(values.seed),
  longestMs: Number(values['longest-ms']),
  baseMs: Number(values['base-ms']),
};
const report = await soakRetrieval(options, (line) => console.log(line));
console.log(JSON.stringify({ ...options, ...report }));
if (report.killsUnderWay < 0.8 * report.kills) {
  console.log('The run was over too soon: take more --ids, or a longer --base-ms.');
  process.exitCode = 1;
}
