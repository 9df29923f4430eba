/** `npm run fuzz -- --requests 10000 --seed 1`: made-up requests for every operation of openapi.yaml, and how they were answered. */
import { parseArgs } from 'node:util';
import { fuzz } from './run.js';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const startedAt = performance.now();
const { requests, answered, faults } = await fuzz({ requests: Number(values.requests), seed: Number(values.seed) });
for (const [operation, counts] of [...answered].sort()) {
  const statuses = [...counts].sort(([left], [right]) => left - right).map(([status, count]) => `${status} × ${count}`);
  console.log(`${operation.padEnd(58)} ${statuses.join('  ')}`);
}
for (const fault of faults.slice(0, 20)) console.log(`\n${fault}`);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`\n${requests} requests, seed ${values.seed}, ${faults.length} faults, ${seconds} s`);
process.exitCode = faults.length === 0 ? 0 : 1;
