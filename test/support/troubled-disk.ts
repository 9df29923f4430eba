import { type Disk, type DiskFile, nodeDisk } from '../../src/backends/embedded/durable-file.js';

export type Trouble = 'dies' | 'fails';

/**
 * A disk whose n-th call does not go well. `fails`: the call is refused, as by a full disk. `dies`: the process is gone
 * in the middle of it (half of a write is there), and no later call happens at all.
 */
export function troubledDisk(at: number, trouble: Trouble): { disk: Disk; calls: string[] } {
  const calls: string[] = [];
  const call = async <T>(name: string, act: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> => {
    if (trouble === 'dies' && calls.length > at) throw new Error('dead');
    calls.push(name);
    if (calls.length - 1 !== at) return act();
    if (trouble === 'dies') await half?.();
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  const fileOn = (file: DiskFile): DiskFile =>
    ({
      write: (bytes: Buffer, from: number, length: number) =>
        call(
          'write',
          () => file.write(bytes, from, length),
          () => file.write(bytes, from, Math.floor(length / 2)),
        ),
      sync: () => call('sync', () => file.sync()),
      // Whatever becomes of the process, the system closes its files.
      close: async () => {
        await file.close();
        await call('close', async () => {});
      },
    }) as DiskFile;
  const disk: Disk = {
    mkdir: (path) => call('mkdir', () => nodeDisk.mkdir(path)),
    open: async (path, flags, mode) => fileOn(await call('open', () => nodeDisk.open(path, flags, mode))),
    rename: (from, to) => call('rename', () => nodeDisk.rename(from, to)),
    remove: (path) => call('remove', () => nodeDisk.remove(path)),
  };
  return { disk, calls };
}
