import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { HostileReport } from './run.js';

/** How a network namespace of one's own may be had here, `null` if not at all. The machine's own is never touched. */
export function namespaceCommand(): string[] | null {
  // With `-r` no right is needed but the one to make user namespaces; root may do without.
  return (
    [
      ['unshare', '-rn'],
      ['unshare', '-n'],
    ].find(canConfigure) ?? null
  );
}

function canConfigure([program, ...args]: string[]): boolean {
  const script = 'ip link set lo up && ip link add d0 type veth peer name d1';
  return spawnSync(program!, [...args, 'sh', '-c', script], { stdio: 'ignore' }).status === 0;
}

/** Shows the hostile page to this Chromium in there, and brings what it found. */
export async function runHostilePage([program, ...args]: string[], chromium: string): Promise<HostileReport> {
  const scratch = await mkdtemp(join(tmpdir(), 'gleaner-hostile-'));
  const script = fileURLToPath(new URL('run.ts', import.meta.url));
  const outer = await readlink('/proc/self/ns/net');
  try {
    const { stdout } = await promisify(execFile)(
      program!,
      [...args, process.execPath, '--import', 'tsx', script, outer, scratch],
      { timeout: 100_000, env: { ...process.env, SCRAPER_CHROMIUM_PATH: chromium } },
    );
    return JSON.parse(stdout) as HostileReport;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
