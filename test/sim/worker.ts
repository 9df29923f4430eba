import { runSeed } from './run.js';
import { SimFile } from './sim-file.js';

// One of the processes that `main.ts` starts: asked for a span of seeds, answers each of them.

const file = await SimFile.open();

process.on('message', async ({ from, count }: { from: number; count: number }) => {
  for (let seed = from; seed < from + count; seed += 1) process.send?.({ result: await runSeed(seed, file) });
  process.send?.({ isReady: true });
});
process.send?.({ isReady: true });
