// Loaded before the service: at SIGWINCH its event loop stands still, for as long and as often as a certain file says
// (milliseconds, one time after the other, with a moment in between).
import { readFileSync } from 'node:fs';

const never = new Int32Array(new SharedArrayBuffer(4));
const MOMENT_MS = 20;

process.on('SIGWINCH', () => block(readFileSync(process.env.LOOP_STANDS_STILL, 'utf8').split(' ').map(Number)));

function block([ms, ...more]) {
  Atomics.wait(never, 0, 0, ms);
  if (more.length > 0) setTimeout(() => block(more), MOMENT_MS);
}
