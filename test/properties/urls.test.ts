import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalUrl } from '../../src/domain/normalize/canonical-url.js';

const TRACKING = ['utm_source', 'utm_medium', 'utm_x', 'UTM_Campaign', 'fbclid', 'gclid', 'FBCLID', 'msclkid', 'dclid'];
const isTracking = (name: string): boolean => /^(utm_.*|fbclid|gclid|dclid|msclkid|ref|source|campaign)$/i.test(name);

/** `%75tm_source` is `utm_source` too. */
const spelled = fc
  .tuple(fc.constantFrom(...TRACKING), fc.nat(3))
  .map(([name, at]) => name.slice(0, at) + `%${name.charCodeAt(at).toString(16)}` + name.slice(at + 1));
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const pair = fc
  .tuple(fc.oneof(fc.constantFrom(...TRACKING), spelled, text.map(encodeURIComponent)), text.map(encodeURIComponent))
  .map(([name, value]) => `${name}=${value}`);

const pages = fc
  .tuple(
    fc.constantFrom('http', 'https', 'HTTP', 'Https'),
    fc.webAuthority({ withIPv4: true, withIPv6: true, withPort: true, withUserInfo: true }),
    fc.webPath(),
    fc.array(pair, { maxLength: 6 }),
    fc.option(fc.webFragments(), { nil: '' }),
  )
  .map(
    ([scheme, authority, path, pairs, fragment]) => `${scheme}://${authority}${path}?${pairs.join('&')}#${fragment}`,
  );
const others = fc
  .tuple(fc.constantFrom('ftp', 'file', 'ws', 'wss', 'mailto', 'javascript', 'data', 'blob', 'view-source', ''), text)
  .map(([scheme, rest]) => `${scheme}:${rest}`);
const anything = fc.oneof(pages, others, fc.webUrl(), fc.string({ unit: 'binary' }), fc.string(), text);

const pageOf = (given: string): URL | null => {
  const url = URL.canParse(given) ? new URL(given) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
};

it('Property 33: URL normalization', () => {
  fc.assert(
    fc.property(anything, (given) => {
      const canonical = canonicalUrl(given);
      const page = pageOf(given);
      expect(canonical !== null).toBe(page !== null);
      if (canonical === null || page === null) return;

      expect(canonical.startsWith('https://')).toBe(true);
      expect([...new URL(canonical).searchParams.keys()].filter(isTracking)).toEqual([]);
      expect(canonicalUrl(canonical)).toBe(canonical);
      // What is not noise is neither lost nor changed.
      const meant = [...page.searchParams].filter(([name, value]) => value !== '' && !isTracking(name));
      expect([...new URL(canonical).searchParams].sort()).toEqual(meant.sort());
      expect(new URL(canonical).hostname).toBe(page.hostname);
    }),
    { numRuns: 1000 },
  );
});
