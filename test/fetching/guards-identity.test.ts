import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createIdentityGuard } from '../../src/fetching/guards/identity-guard.js';
import { createIdentities, userAgents } from '../../src/fetching/identity.js';
import { visitPlan } from '../support/visit-plan.js';

const version = fc
  .tuple(fc.integer({ min: 120, max: 220 }), fc.nat(9999))
  .map(([major, build]) => `${major}.0.${build}.1`);
const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 2,
  maxLength: 30,
});

const replay = (values: number[]) => {
  let at = 0;
  return () => values[at++ % values.length]!;
};

describe('identities', () => {
  it('Property 14: user agents come from the list, viewports lie within the bounds', () => {
    fc.assert(
      fc.property(version, chances, (running, values) => {
        const identities = createIdentities({ chromiumVersion: () => running, random: replay(values) });
        for (const _ of values) {
          const { userAgent, viewport } = identities.next(null);
          expect(userAgents(running)).toContain(userAgent);
          expect(viewport.width).toBeGreaterThanOrEqual(1280);
          expect(viewport.width).toBeLessThanOrEqual(1920);
          expect(viewport.height).toBeGreaterThanOrEqual(720);
          expect(viewport.height).toBeLessThanOrEqual(1080);
        }
      }),
    );
  });

  it('Property 16: two in a row differ', () => {
    fc.assert(
      fc.property(chances, fc.option(fc.constantFrom('US', 'de', 'ZZ')), (values, region) => {
        const identities = createIdentities({ chromiumVersion: () => null, random: replay(values) });
        let last = identities.next(region);
        for (const _ of values) {
          const next = identities.next(region);
          expect(next).not.toEqual(last);
          last = next;
        }
      }),
    );
  });

  it('agree with themselves and with the engine that runs', () => {
    const identities = createIdentities({ chromiumVersion: () => '156.0.7000.12', random: Math.random });
    for (let n = 0; n < 50; n += 1) {
      const { userAgent, headers, locale, timezone, geolocation } = identities.next(null);
      expect(userAgent).toContain('Chrome/156.0.0.0 ');
      expect(headers['sec-ch-ua']).toBe('"Not:A-Brand";v="8", "Chromium";v="156"');
      expect(headers['sec-ch-ua-full-version-list']).toContain('"Chromium";v="156.0.7000.12"');
      const platform = { Windows: 'Windows NT', macOS: 'Macintosh', Linux: 'X11; Linux' }[
        headers['sec-ch-ua-platform']!.replaceAll('"', '')
      ];
      expect(userAgent).toContain(platform);
      expect({ locale, timezone, geolocation }).toEqual({
        locale: 'en-US',
        timezone: 'America/New_York',
        geolocation: null,
      });
      expect(headers['accept-language']).toBe('en-US,en;q=0.9');
    }
  });

  it('belong to the region of the proxy', () => {
    const identities = createIdentities({ chromiumVersion: () => null, random: Math.random });
    const plan = visitPlan('https://a.example/', { proxy: { id: 'p', url: 'http://p.example:1', region: 'de' } });
    createIdentityGuard({ identities }).check(plan, new AbortController().signal);
    expect(plan.identity).toMatchObject({ locale: 'de-DE', timezone: 'Europe/Berlin' });
    expect(plan.identity!.headers['accept-language']).toBe('de-DE,de;q=0.9,en;q=0.8');
    expect(plan.identity!.geolocation).not.toBe(null);
  });
});
