/** Our service as an operator runs it: built, in a process of its own, with a store on disk that is gone afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const SERVICE_KEY = 'bench-key';
/** Everybody's Node gets it. */
export const YOUNG_ROOM = '--max-semi-space-size=32';
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/**
 * Starts it with the settings given beside those that every measurement needs, and waits until it can serve.
 * `policies` is the text of the policy file.
 */
export async function startService({ policies, env = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-bench-'));
  writeFileSync(join(folder, 'policies.yaml'), policies);
  // The flag as in `npm start`.
  const child = spawn(process.execPath, [YOUNG_ROOM, MAIN], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      // As `npm start` sets it.
      UV_THREADPOOL_SIZE: '32',
      SCRAPER_PORT: '0',
      SCRAPER_SERVICE_KEY: SERVICE_KEY,
      SCRAPER_DATA_DIR: join(folder, 'data'),
      SCRAPER_DOMAIN_POLICIES_PATH: join(folder, 'policies.yaml'),
      SCRAPER_EGRESS_ALLOW: '127.0.0.0/8',
      SCRAPER_GRACEFUL_SHUTDOWN_SECONDS: '1',
      ...env,
    },
  });
  // Whoever stops us stops the service: nobody else knows of it.
  const drop = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', drop);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const address = await addressOf(child);
  await untilReady(address);
  return {
    address,
    pid: child.pid,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.race([ended, pause(10_000, null, { ref: false })]);
      drop();
      process.off('exit', drop);
    },
  };
}

/** It says in its log where it listens. The rest of the log is read and dropped, as a collector would take it. */
export function addressOf(child) {
  return new Promise((resolve, reject) => {
    let seen = '';
    const look = (chunk) => {
      seen += chunk;
      const found = /"address":"([^"]+)"/.exec(seen);
      if (!found) return;
      child.stdout.off('data', look).resume();
      resolve(found[1]);
    };
    child.stdout.on('data', look);
    child.once('exit', (code) => reject(new Error(`It ended with ${code} before it listened: ${seen.slice(-500)}`)));
  });
}

async function untilReady(address) {
  for (let tries = 0; tries < 300; tries++) {
    const { ok } = await fetch(`${address}/readiness`);
    if (ok) return;
    await pause(100);
  }
  throw new Error('The service has not become ready within 30 s.');
}

/** CPU that a process has used so far, its finished threads included and its children not. */
export function cpuMsOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}
