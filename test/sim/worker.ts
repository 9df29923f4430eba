import { runSeed } from './run.js';
import { SimFile } from './sim-file.js';

// One of the processes that `main.ts` starts: asked for a span of seeds, answers each of them.

const file = await SimFile.open();

process.on('message', async ({ from, count }: { from: number; count: number }) => {
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await runSeed(seed, file);
    process.send?.({ result });
    // Whoever looks for what is wrong need not wait for the rest.
    if (result.failure) break;
  }
  process.send?.({ isReady: true });
});
process.send?.({ isReady: true });
