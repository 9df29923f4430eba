import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdentityGuard } from '../../src/fetching/guards/identity-guard.js';
import { createIdentities } from '../../src/fetching/identity.js';
import { visitPlan } from '../support/visit-plan.js';

/** The list, as Chromium 156 spells it. Another version differs in this one number. */
const USER_AGENTS = {
  Linux: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  macOS:
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  Windows:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
};
const PLATFORMS = ['Linux', 'macOS', 'Windows'] as const;

const version = fc
  .tuple(fc.integer({ min: 120, max: 220 }), fc.nat(9999))
  .map(([major, build]) => ({ major, full: `${major}.0.${build}.1` }));
const platforms = fc.shuffledSubarray([...PLATFORMS], { minLength: 1 });
const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 2,
  maxLength: 30,
});
const region = fc.option(fc.constantFrom('US', 'de', 'ZZ', 'br'));

const replay = (values: number[]) => {
  let at = 0;
  return () => values[at++ % values.length]!;
};

describe('identities', () => {
  it('Property 14: user agents come from the list, viewports lie within the bounds', () => {
    fc.assert(
      fc.property(version, platforms, chances, region, ({ major, full }, systems, values, where) => {
        const list = systems.map((system) => USER_AGENTS[system].replace('156', String(major)));
        const random = replay(values);
        const identities = createIdentities({ chromiumVersion: () => full, random, platforms: systems });
        for (const _ of values) {
          const { userAgent, viewport, screen } = identities.next(where);
          expect(list).toContain(userAgent);
          expect(viewport.width).toBeGreaterThanOrEqual(1280);
          expect(viewport.width).toBeLessThanOrEqual(1920);
          expect(viewport.height).toBeGreaterThanOrEqual(720);
          expect(viewport.height).toBeLessThanOrEqual(1080);
          // The screen holds the page and the window's own bars.
          expect(screen.width).toBeGreaterThanOrEqual(viewport.width);
          expect(screen.height - viewport.height).toBeGreaterThanOrEqual(80);
          expect(screen.height - viewport.height).toBeLessThanOrEqual(200);
        }
      }),
    );
  });

  it('Property 16: two in a row differ', () => {
    fc.assert(
      fc.property(chances, region, (values, where) => {
        const identities = createIdentities({ chromiumVersion: () => null, random: replay(values) });
        // Only what a site sees without asking for a permission counts.
        const seen = () => {
          const { userAgent, viewport, timezone, languages } = identities.next(where);
          return { userAgent, viewport, timezone, languages };
        };
        let last = seen();
        for (const _ of values) {
          const next = seen();
          expect(next).not.toEqual(last);
          last = next;
        }
      }),
    );
  });

  it('agree with themselves and with the engine that runs, on every platform', () => {
    for (const platform of PLATFORMS) {
      const { userAgent, headers } = createIdentities({
        chromiumVersion: () => '156.0.7000.12',
        random: Math.random,
        platforms: [platform],
      }).next(null);
      expect(userAgent).toBe(USER_AGENTS[platform]);
      expect(headers).toMatchObject({
        'sec-ch-ua': '"Not:A-Brand";v="8", "Chromium";v="156"',
        'sec-ch-ua-full-version-list': '"Not:A-Brand";v="8.0.0.0", "Chromium";v="156.0.7000.12"',
        'sec-ch-ua-platform': `"${platform}"`,
        'sec-ch-ua-mobile': '?0',
        'sec-ch-ua-model': '""',
        'sec-ch-ua-bitness': '"64"',
      });
    }
  });

  it.each([null, 'ZZ', '', 'constructor'])('claim no position for the region %j', (where) => {
    const identities = createIdentities({ chromiumVersion: () => null, random: Math.random });
    expect(identities.next(where)).toMatchObject({
      locale: 'en-US',
      languages: ['en-US', 'en'],
      timezone: 'America/New_York',
      geolocation: null,
      headers: { 'accept-language': 'en-US,en;q=0.9' },
    });
  });

  it('belong to the region of the proxy', () => {
    const identities = createIdentities({ chromiumVersion: () => null, random: Math.random });
    const goingThrough = (where: string) => {
      const plan = visitPlan('https://a.example/', { proxy: { id: 'p', url: 'http://p.example:1', region: where } });
      createIdentityGuard({ identities }).check(plan, new AbortController().signal);
      return plan.identity!;
    };
    expect(goingThrough('de')).toMatchObject({ locale: 'de-DE', timezone: 'Europe/Berlin' });
    expect(goingThrough('De').headers['accept-language']).toBe('de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7');
    expect(goingThrough('no').headers['accept-language']).toBe('nb-NO,nb;q=0.9,no;q=0.8,nn;q=0.7,en-US;q=0.6,en;q=0.5');
    expect(goingThrough('uk')).toMatchObject({ locale: 'en-GB', timezone: 'Europe/London' });
  });

  it('stay the same for a visit that goes on the same way, and fit the proxy where it is another', () => {
    const identities = createIdentities({ chromiumVersion: () => null, random: Math.random });
    const guard = createIdentityGuard({ identities });
    const { signal } = new AbortController();
    const way = (id: string, region: string) => ({ id, url: `http://${id}.example:1`, region });
    for (const proxy of [null, way('p', 'de')]) {
      const earlier = { identity: identities.next(proxy?.region ?? null), proxy };
      const same = visitPlan('https://a.example/', { proxy, earlier });
      guard.check(same, signal);
      expect(same.identity).toBe(earlier.identity);
      const other = visitPlan('https://a.example/', { proxy: way('q', 'fr'), earlier });
      guard.check(other, signal);
      expect(other.identity).toMatchObject({ locale: 'fr-FR' });
    }
  });
});
