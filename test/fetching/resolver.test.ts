import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createEgress } from '../../src/fetching/egress.js';
import { parseHosts } from '../../src/fetching/hosts-file.js';
import { createSystemLookup } from '../../src/fetching/lookup.js';
import { createPublicLookup } from '../../src/fetching/resolver.js';
import { type DnsServer, type Question, type Reply, startDnsServer } from '../support/dns-server.js';
import { tempDir } from '../support/temp-dir.js';
import { realTurns, VirtualClock } from '../support/virtual-clock.js';

const PUBLIC = '93.184.216.34';
const PUBLIC6 = '2606:4700::1';
const NO_HOSTS = '/nonexistent/hosts';

let server: DnsServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Names by what their first label says; `replies` first. */
async function serve(replies: Record<string, Partial<Record<'A' | 'AAAA', Reply>>> = {}): Promise<DnsServer> {
  server = await startDnsServer(({ name, type }: Question): Reply => {
    if (replies[name]) return replies[name][type] ?? [];
    if (name.startsWith('hang')) return 'hang';
    return type === 'A' ? [PUBLIC] : [];
  });
  return server;
}

const lookupAt = ({ address }: DnsServer, more: { timeoutMs?: number; hostsPath?: string; mono?: () => number } = {}) =>
  createPublicLookup({ timeoutMs: 4000, hostsPath: NO_HOSTS, servers: [address], ...more });

const egressAt = ({ address }: DnsServer, more: { timeoutMs?: number; hostsPath?: string; allow?: string[] } = {}) => {
  const { allow = [], hostsPath = NO_HOSTS, timeoutMs = 4000 } = more;
  return createEgress({ allow, timeoutMs, dns: { servers: [address], hostsPath } });
};

describe('the lookup of public names', () => {
  it('lets a hundred names that hang delay nobody else', async () => {
    const lookup = lookupAt(await serve());
    const ended: string[] = [];
    const ask = (name: string): Promise<unknown> =>
      lookup(name)
        .catch((error: NodeJS.ErrnoException) => error.code)
        .finally(() => ended.push(name));
    const hanging = Array.from({ length: 100 }, (_, n) => ask(`hang${n}.example.com`));
    const healthy = Array.from({ length: 5 }, (_, n) => ask(`ok${n}.example.com`));

    expect(await Promise.all(healthy)).toEqual(Array(5).fill([{ address: PUBLIC, family: 4 }]));
    expect(ended.filter((name) => name.startsWith('hang'))).toEqual([]);
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['ECANCELLED']));
  });

  it('gives IPv4 first, whichever answer comes first', async () => {
    const lookup = lookupAt(await serve({ 'both.example.com': { A: [PUBLIC, '93.184.216.35'], AAAA: [PUBLIC6] } }));
    expect(await lookup('both.example.com')).toEqual([
      { address: PUBLIC, family: 4 },
      { address: '93.184.216.35', family: 4 },
      { address: PUBLIC6, family: 6 },
    ]);
  });

  it('follows a chain of names', async () => {
    const chain = ['www.cdn.example.net', 'edge.cdn.example.net'];
    const lookup = lookupAt(
      await serve({ 'www.example.com': { A: { chain, addresses: [PUBLIC] }, AAAA: { chain, addresses: [] } } }),
    );
    expect(await lookup('www.example.com')).toEqual([{ address: PUBLIC, family: 4 }]);
  });

  it('asks once for all who ask at the same time, and anew for who comes later', async () => {
    const { asked } = await serve();
    const lookup = lookupAt(server!);
    await Promise.all(Array.from({ length: 50 }, () => lookup('one.example.com')));
    expect(asked.map(({ type }) => type).sort()).toEqual(['A', 'AAAA']);
    await lookup('one.example.com');
    expect(asked).toHaveLength(4);
  });

  it('does not ask again for two seconds after a name was silent', async () => {
    const clock = new VirtualClock();
    const { asked } = await serve();
    const lookup = lookupAt(server!, { timeoutMs: 200, mono: () => clock.mono() });
    await expect(lookup('hang.example.com')).rejects.toMatchObject({ code: 'ECANCELLED' });
    expect(asked).toHaveLength(2);

    await clock.advance(1999);
    await expect(lookup('hang.example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    expect(asked).toHaveLength(2);
    await lookup('other.example.com');

    await clock.advance(1);
    await expect(lookup('hang.example.com')).rejects.toMatchObject({ code: 'ECANCELLED' });
    expect(asked.filter(({ name }) => name === 'hang.example.com')).toHaveLength(4);
  });

  it('remembers the silence of one family and still asks the other', async () => {
    const { asked } = await serve({ 'half.example.com': { A: [PUBLIC], AAAA: 'hang' } });
    const lookup = lookupAt(server!, { timeoutMs: 200, mono: () => 0 });
    expect(await lookup('half.example.com')).toEqual([{ address: PUBLIC, family: 4 }]);
    expect(await lookup('half.example.com')).toEqual([{ address: PUBLIC, family: 4 }]);
    expect(asked.map(({ type }) => type).sort()).toEqual(['A', 'A', 'AAAA']);
  });

  it('does not remember answers that say no', async () => {
    const replies: Record<string, Partial<Record<'A' | 'AAAA', Reply>>> = {
      'new.example.com': { A: 'nxdomain', AAAA: 'nxdomain' },
      'ill.example.com': { A: 'servfail', AAAA: 'servfail' },
    };
    const lookup = lookupAt(await serve(replies));
    await expect(lookup('new.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(lookup('ill.example.com')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    replies['new.example.com'] = replies['ill.example.com'] = { A: [PUBLIC] };
    expect(await lookup('new.example.com')).toHaveLength(1);
    expect(await lookup('ill.example.com')).toHaveLength(1);
  });

  it('does not add the search domains of the machine', async () => {
    const { asked } = await serve({ 'gone.example.com': { A: 'nxdomain', AAAA: 'nxdomain' } });
    await expect(lookupAt(server!)('gone.example.com')).rejects.toThrow();
    expect(new Set(asked.map(({ name }) => name))).toEqual(new Set(['gone.example.com']));
  });
});

describe('egress by DNS', () => {
  const faults: [string, Reply, Reply, string][] = [
    ['no such name', 'nxdomain', 'nxdomain', 'dns_not_found'],
    ['a name without addresses', [], [], 'dns_not_found'],
    ['a chain to nothing', { chain: ['nothing.example.net'], addresses: [] }, [], 'dns_not_found'],
    ['servers that fail', 'servfail', 'servfail', 'dns_failed'],
    ['one that fails and one that has none', 'servfail', [], 'dns_failed'],
    ['one that has none and one that is silent', [], 'hang', 'dns_failed'],
    ['silence', 'hang', 'hang', 'dns_failed'],
    ['a private address', ['10.0.0.1'], [], 'egress_denied'],
    ['a private one among public ones', [PUBLIC, '10.0.0.1'], [], 'egress_denied'],
    ['a private IPv6 behind a public IPv4', [PUBLIC], ['fd00::1'], 'egress_denied'],
    ['a private IPv4 before a public IPv6', ['127.0.0.1'], [PUBLIC6], 'egress_denied'],
    ['a private IPv4, and IPv6 unknown', ['127.0.0.1'], 'servfail', 'egress_denied'],
    ['a mapped private address', [], ['::ffff:a00:1'], 'egress_denied'],
  ];
  it.each(faults)('refuses %s', async (_, A, AAAA, code) => {
    const egress = egressAt(await serve({ 'x.example.com': { A, AAAA } }), { timeoutMs: 300 });
    await expect(egress.resolve('x.example.com')).rejects.toMatchObject({ code });
  });

  const answers: [string, Reply, Reply, string][] = [
    ['both', [PUBLIC], [PUBLIC6], PUBLIC],
    ['only IPv6', [], [PUBLIC6], PUBLIC6],
    ['IPv4, while IPv6 fails', [PUBLIC], 'servfail', PUBLIC],
    ['IPv4, while IPv6 is silent', [PUBLIC], 'hang', PUBLIC],
    ['IPv6, while IPv4 is silent', 'hang', [PUBLIC6], PUBLIC6],
  ];
  it.each(answers)('takes %s', async (_, A, AAAA, address) => {
    const egress = egressAt(await serve({ 'x.example.com': { A, AAAA } }), { timeoutMs: 300 });
    expect(await egress.resolve('x.example.com')).toEqual({ address, family: address.includes(':') ? 6 : 4 });
  });

  it('says of a machine without a name server that the lookup failed', async () => {
    const { address } = await startDnsServer(() => 'hang').then(async (gone) => {
      await gone.close();
      return gone;
    });
    const egress = createEgress({ allow: [], dns: { servers: [address], hostsPath: NO_HOSTS } });
    await expect(egress.resolve('x.example.com')).rejects.toMatchObject({ code: 'dns_failed' });
  });

  it('looks at every answer anew: a name that turns to a private address is refused', async () => {
    const replies: Record<string, Partial<Record<'A' | 'AAAA', Reply>>> = { 'turn.example.com': { A: [PUBLIC] } };
    const egress = egressAt(await serve(replies));
    expect(await egress.resolve('turn.example.com')).toMatchObject({ address: PUBLIC });
    replies['turn.example.com'] = { A: ['169.254.169.254'] };
    await expect(egress.resolve('turn.example.com')).rejects.toMatchObject({ code: 'egress_denied' });
  });

  it('does not ask DNS for names of the allow-list', async () => {
    const egress = egressAt(await serve(), { allow: ['localhost'] });
    expect(await egress.resolve('localhost')).toMatchObject({ address: '127.0.0.1' });
    expect(server!.asked).toEqual([]);
  });
});

describe('the hosts file', () => {
  const dir = tempDir('hosts');
  afterAll(dir.remove);
  let files = 0;
  const hostsFile = (): string => join(dir.path, `hosts${files++}`);

  it('goes before DNS, and is judged as DNS is', async () => {
    const hostsPath = hostsFile();
    await writeFile(
      hostsPath,
      `${PUBLIC6} Written.example.com. # ours\n${PUBLIC} written.example.com\n10.0.0.1 in.example.com`,
    );
    const egress = egressAt(await serve(), { hostsPath });
    expect(await egress.resolve('written.example.com')).toEqual({ address: PUBLIC, family: 4 });
    await expect(egress.resolve('in.example.com')).rejects.toMatchObject({ code: 'egress_denied' });
    expect(server!.asked).toEqual([]);
    await egress.resolve('other.example.com');
    expect(server!.asked).toHaveLength(2);
  });

  it('is looked at again after a minute, and may go away', async () => {
    const clock = new VirtualClock();
    const hostsPath = hostsFile();
    await writeFile(hostsPath, '93.184.216.1 x.example.com');
    const lookup = lookupAt(await serve(), { hostsPath, mono: () => clock.mono() });
    const first = async (): Promise<string | undefined> => (await lookup('x.example.com'))[0]?.address;

    expect(await first()).toBe('93.184.216.1');
    await writeFile(hostsPath, '93.184.216.22 x.example.com');
    await clock.advance(59_999);
    expect(await first()).toBe('93.184.216.1');
    await clock.advance(1);
    expect(await first()).toBe('93.184.216.22');
    await writeFile(hostsPath, '');
    await clock.advance(60_000);
    expect(await first()).toBe(PUBLIC);
  });

  it('is read line by line, and odd lines are left out', () => {
    const text =
      '# all\n\n127.0.0.1\tlocalhost  me # 10.0.0.1 no\r\n::1 localhost\nfe80::1%lo0 zone\n10/8 short\n1.2.3.4\n';
    expect(parseHosts(text)).toEqual(
      new Map([
        ['localhost', ['127.0.0.1', '::1']],
        ['me', ['127.0.0.1']],
      ]),
    );
  });
});

describe("the lookup by the system's resolver", () => {
  /** The system, as far as it matters here: it answers when it likes, and cannot be told to stop. */
  function slowSystem() {
    const asked: string[] = [];
    const ends: (() => void)[] = [];
    const lookup = async (name: string) => {
      asked.push(name);
      await new Promise<void>((end) => ends.push(end));
      return [{ address: '10.0.0.9', family: 4 }];
    };
    return { asked, ends, lookup };
  }

  it('has four questions under way at most; the others wait for their turn', async () => {
    const { asked, ends, lookup } = slowSystem();
    const own = createSystemLookup({ timeoutMs: 4500, lookup, mono: () => 0 });
    const all = Array.from({ length: 6 }, (_, n) => own(`n${n}.own`));
    await realTurns();
    expect(asked).toEqual(['n0.own', 'n1.own', 'n2.own', 'n3.own']);
    ends[0]!();
    await realTurns();
    expect(asked).toHaveLength(5);
    for (const end of ends.slice(1)) end();
    await realTurns();
    ends.at(-1)!();
    expect(await Promise.all(all)).toHaveLength(6);
  });

  it('asks once for a name, however long it hangs', async () => {
    const { asked, ends, lookup } = slowSystem();
    const own = createSystemLookup({ timeoutMs: 4500, lookup });
    const all = Array.from({ length: 100 }, () => own('dead.own'));
    await realTurns();
    expect(asked).toEqual(['dead.own']);
    ends[0]!();
    await Promise.all(all);
  });

  it('spends no thread on a question that has waited too long', async () => {
    const clock = new VirtualClock();
    const { asked, ends, lookup } = slowSystem();
    const own = createSystemLookup({ timeoutMs: 4500, lookup, mono: () => clock.mono() });
    const dead = Array.from({ length: 4 }, (_, n) => own(`dead${n}.own`));
    const late = own('late.own').catch((error: NodeJS.ErrnoException) => error.code);
    await clock.advance(4500);
    const fresh = own('fresh.own');
    ends[0]!();
    expect(await late).toBe('ETIMEOUT');
    await realTurns();
    expect(asked).toEqual(['dead0.own', 'dead1.own', 'dead2.own', 'dead3.own', 'fresh.own']);
    for (const end of ends) end();
    await Promise.all([...dead, fresh]);
  });
});
