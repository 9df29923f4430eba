import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkUrl, parseEgressAllow } from '../../src/domain/target-url.js';
import { createEgress, type LookupAll } from '../../src/fetching/egress.js';

interface Row {
  id: string;
  url: string;
  verdict: 'allow' | 'block';
  dns?: string[];
}

const rows = JSON.parse(readFileSync(new URL('../vectors/ssrf_urls.json', import.meta.url), 'utf8')) as Row[];

const answers =
  (...addresses: string[]): LookupAll =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const failing =
  (code: string): LookupAll =>
  async () => {
    throw Object.assign(new Error(code), { code });
  };

describe('egress', () => {
  it('lets through and refuses what the vectors say, with their DNS answers', async () => {
    const wrong: string[] = [];
    for (const row of rows) {
      const egress = createEgress({ allow: [], lookup: answers(...(row.dns ?? ['93.184.216.34'])) });
      const checked = checkUrl(row.url, parseEgressAllow([]));
      const passed =
        'url' in checked &&
        (await egress.resolve(checked.url.hostname).then(
          () => true,
          () => false,
        ));
      if (passed !== (row.verdict === 'allow')) wrong.push(row.id);
    }
    expect(wrong).toEqual([]);
  });

  it('hands out the very address that was checked', async () => {
    const egress = createEgress({ allow: [], lookup: answers('93.184.216.34', '2606:4700::1') });
    expect(await egress.resolve('pub.example')).toEqual({ address: '93.184.216.34', family: 4 });
    expect(await egress.resolve('[2606:4700:4700::1111]')).toEqual({ address: '2606:4700:4700::1111', family: 6 });
  });

  it('checks IP literals too', async () => {
    const egress = createEgress({ allow: [] });
    await expect(egress.resolve('127.0.0.1')).rejects.toMatchObject({ code: 'egress_denied' });
    await expect(egress.resolve('[::1]')).rejects.toMatchObject({ code: 'egress_denied' });
    await expect(egress.resolve('localhost')).rejects.toMatchObject({ code: 'egress_denied' });
  });

  it('opens exactly the exceptions it was given', async () => {
    const egress = createEgress({ allow: ['127.0.0.0/8', 'wiki.internal'], lookup: answers('10.0.0.9') });
    expect(await egress.resolve('127.0.0.7')).toEqual({ address: '127.0.0.7', family: 4 });
    expect(await egress.resolve('wiki.internal')).toEqual({ address: '10.0.0.9', family: 4 });
    await expect(egress.resolve('other.example')).rejects.toMatchObject({ code: 'egress_denied' });
    await expect(egress.resolve('10.0.0.9')).rejects.toMatchObject({ code: 'egress_denied' });
  });

  it('tells a name that does not exist from a resolver that does not answer', async () => {
    const resolve = (lookup: LookupAll) => createEgress({ allow: [], lookup }).resolve('x.example');
    await expect(resolve(failing('ENOTFOUND'))).rejects.toMatchObject({ code: 'dns_not_found' });
    await expect(resolve(answers())).rejects.toMatchObject({ code: 'dns_not_found' });
    await expect(resolve(failing('EAI_AGAIN'))).rejects.toMatchObject({ code: 'dns_failed' });
    await expect(resolve(failing('ETIMEOUT'))).rejects.toMatchObject({ code: 'dns_failed' });
  });

  it('does not wait for a resolver for ever', async () => {
    const egress = createEgress({ allow: [], lookup: () => new Promise(() => {}), timeoutMs: 50 });
    await expect(egress.resolve('x.example')).rejects.toMatchObject({ code: 'dns_failed' });
  });
});
