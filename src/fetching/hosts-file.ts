import { readFile, stat } from 'node:fs/promises';
import { isAddress } from '../domain/address.js';
import { bareHost } from '../domain/registrable-domain.js';

/** The names that the operator wrote down on this machine; they go before anything the network says. */
export interface HostsFile {
  /** In the order of the file; none if the file does not name it, or cannot be read. */
  addressesOf(name: string): Promise<readonly string[]>;
}

const LOOK_AGAIN_MS = 60_000;

export function createHostsFile({ path, mono }: { path: string; mono: () => number }): HostsFile {
  let names = new Map<string, string[]>();
  let stamp = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  /** Lists of unwanted names run to megabytes: read again only what has changed. */
  const look = async (): Promise<void> => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const found = `${mtimeMs} ${size} ${ino}`;
      if (found === stamp) return;
      names = parseHosts(await readFile(path, 'utf8'));
      stamp = found;
    } catch {
      names = new Map();
      stamp = '';
    }
  };

  return {
    async addressesOf(name) {
      if (mono() - lookedAt >= LOOK_AGAIN_MS) {
        lookedAt = mono();
        looking = look();
      }
      await looking;
      return names.get(name) ?? [];
    },
  };
}

/** `address name alias… # comment`, line by line. What is no such line is left out, as the system does. */
export function parseHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!isAddress(address)) continue;
    for (const alias of aliases) {
      const name = bareHost(alias.toLowerCase());
      names.set(name, [...(names.get(name) ?? []), address]);
    }
  }
  return names;
}
