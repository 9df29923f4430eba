import { lookup as dnsLookup } from 'node:dns/promises';

export interface FoundAddress {
  address: string;
  family: number;
}

/** All addresses of a name, as `dns.lookup(name, { all: true })` gives them. */
export type LookupAll = (hostname: string) => Promise<FoundAddress[]>;

interface SystemLookupOptions {
  /** Whoever asked has left by then. */
  timeoutMs: number;
  lookup?: LookupAll;
  mono?: () => number;
}

/** Node gives lookups at most half of its threads; the names of proxies and of the credential API need some of them. */
const MAX_AT_ONCE = 4;

/**
 * Looks names up as the rest of the machine does (mDNS, LDAP, search domains): for names of the operator's own.
 * Each question blocks a thread, for up to half a minute if nobody answers; so there are few at once. The others wait.
 */
export function createSystemLookup(options: SystemLookupOptions): LookupAll {
  const { timeoutMs, lookup = askSystem, mono = () => performance.now() } = options;
  const waiting: (() => void)[] = [];
  let running = 0;

  const enter = async (): Promise<void> => {
    if (running < MAX_AT_ONCE) running++;
    else await new Promise<void>((admitted) => waiting.push(admitted));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };

  return onceAtATime(async (hostname) => {
    const askedAt = mono();
    await enter();
    try {
      // Nobody waits for this one any more; a thread spent on it would be missing for those who do.
      if (mono() - askedAt >= timeoutMs) throw Object.assign(new Error('no thread in time'), { code: 'ETIMEOUT' });
      return await lookup(hostname);
    } finally {
      leave();
    }
  });
}

const askSystem: LookupAll = (hostname) => dnsLookup(hostname, { all: true, verbatim: false });

/** However many ask for a name at the same time, it is looked up once. */
export function onceAtATime(lookup: LookupAll): LookupAll {
  const underWay = new Map<string, Promise<FoundAddress[]>>();
  return (hostname) => {
    const running = underWay.get(hostname);
    if (running) return running;
    const started = lookup(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, started);
    return started;
  };
}

export const familyOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);
