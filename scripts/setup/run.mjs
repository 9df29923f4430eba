import { spawn } from 'node:child_process';

/** A step that could not be done. The message is for a person; `output` is what the failing command said. */
export class SetupError extends Error {
  constructor(message, output = '') {
    super(message);
    this.name = 'SetupError';
    this.output = output;
  }
}

const KEPT_CHARS = 64 * 1024;
const onWindows = process.platform === 'win32';

/**
 * Runs a command without a word and answers how it went: `{ ok, output }`. It is stopped, with everything it
 * started, when its time is up or when we are told to stop.
 */
export function run(command, args, { cwd, env = process.env, timeoutMs = 15 * 60_000 } = {}) {
  return new Promise((resolve) => {
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-KEPT_CHARS);
    };
    // A process group of its own, because npm and apt start children that would outlive a kill of their parent.
    const child = spawn(command, args, { cwd, env, detached: !onWindows, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);

    const stop = () => (onWindows || !child.pid ? child.kill('SIGKILL') : killGroup(child.pid));
    const quit = (signal) => {
      stop();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    };
    const timer = setTimeout(() => {
      keep(`\nstopped after ${Math.round(timeoutMs / 1000)} s`);
      stop();
    }, timeoutMs);
    process.on('SIGINT', quit).on('SIGTERM', quit);

    const end = (ok) => {
      clearTimeout(timer);
      process.off('SIGINT', quit).off('SIGTERM', quit);
      resolve({ ok, output });
    };
    child.on('error', (error) => {
      keep(error.message);
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

/** The end of an output, where the reason of a failure stands. */
export const lastLines = (output, count = 20) => output.trimEnd().split('\n').slice(-count).join('\n');

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
}
