import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

/**
 * A command that puts a disk of `megabytes` in place of `$SMALL_DISK` and becomes what it is given; nobody else sees
 * that disk, and it goes with the process. `null` where this machine does not let us.
 */
export function onSmallDisk(megabytes: number): string[] | null {
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$SMALL_DISK" && exec "$@"`;
  const ways = [
    ['unshare', '-rm', 'sh', '-c', script, 'sh'],
    ['unshare', '-m', 'sh', '-c', script, 'sh'],
  ];
  const env = { PATH: process.env.PATH, SMALL_DISK: tmpdir() };
  return ways.find(([program, ...args]) => spawnSync(program!, [...args, 'true'], { env }).status === 0) ?? null;
}
