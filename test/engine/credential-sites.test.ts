import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdapterRegistry } from '../../src/domain/adapter.js';
import type { Fetcher } from '../../src/ports/fetcher.js';
import type { Guard } from '../../src/ports/guard.js';
import { aPage, noteRegistry, openEngine } from '../support/engine-harness.js';
import { openTempStore } from '../support/sqlite-store.js';
import { aSpec, CALLER } from '../support/tasks.js';
import { VirtualClock } from '../support/virtual-clock.js';

const adapters: AdapterRegistry = {
  ...noteRegistry,
  get: (type) => ({ ...noteRegistry.get(type)!, provider: { name: 'shop', sites: ['shop.example', 'shop.test'] } }),
};

describe('whose credentials a visit may take along', () => {
  let opened: Awaited<ReturnType<typeof openTempStore>>;
  const clock = new VirtualClock();
  beforeEach(async () => {
    opened = await openTempStore();
  });
  afterEach(() => opened.end());

  /** What the guards were told about each leg, on the way that starts at the first URL. */
  const providersAlong = async ([first, ...rest]: [string, ...string[]]): Promise<(string | null)[]> => {
    const told: (string | null)[] = [];
    const guard: Guard = {
      name: 'witness',
      check: ({ provider }) => {
        told.push(provider);
        return { kind: 'go' };
      },
    };
    const http: Fetcher['fetch'] = async (request) => {
      const to = rest.shift();
      return to ? { kind: 'detour', to, hops: 1 } : aPage(request, 'Engineer');
    };
    const isCredentialSite = (provider: string, domain: string) => provider === 'shop' && domain === 'intranet.test';
    const parts = { adapters, isCredentialSite };
    const { engine } = openEngine({ store: opened.store, clock, http, guards: [guard], parts });
    await engine.start();
    const { id } = await engine.submit(aSpec({ targetUrl: first }), CALLER);
    await clock.advance(0);
    expect((await engine.task(id)).status).toBe('completed');
    const stopping = engine.stop(0);
    await clock.advance(0);
    await stopping;
    return told;
  };

  it.each([
    ['https://shop.example/', 'shop'],
    ['https://www.shop.test:8443/', 'shop'],
    ['https://shop.intranet.test/', 'shop'],
    ['https://attacker.example/steal', null],
    ['https://shop.example.attacker.test/', null],
    ['https://notshop.example/', null],
    ['https://attacker.test/shop.example', null],
  ])('to %s: %s', async (url, provider) => {
    expect(await providersAlong([url])).toEqual([provider]);
  });

  it('is nobody on a detour, and the provider again where that leads back', async () => {
    const way: [string, ...string[]] = ['https://shop.example/', 'https://a.example/', 'https://www.shop.example/'];
    expect(await providersAlong(way)).toEqual(['shop', null, 'shop']);
  });

  it('is nobody where another site than the one of the task led the visit', async () => {
    const way: [string, ...string[]] = ['https://a.example/', 'https://shop.example/settings', 'https://a.example/'];
    expect(await providersAlong(way)).toEqual([null, null, null]);
    expect(await providersAlong(['https://shop.example/', 'https://shop.test/'])).toEqual(['shop', null]);
  });
});
