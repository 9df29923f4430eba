import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkUrl, parseEgressAllow } from '../../src/domain/target-url.js';

interface Row {
  id: string;
  url: string;
  verdict: 'allow' | 'block';
  dns?: string[];
}

const rows = JSON.parse(readFileSync(new URL('../vectors/ssrf_urls.json', import.meta.url), 'utf8')) as Row[];
const nothing = parseEgressAllow([]);

const fault = (raw: string, allow = nothing): string | null => {
  const checked = checkUrl(raw, allow);
  return 'fault' in checked ? checked.fault : null;
};

describe('target URLs', () => {
  it('are refused or accepted by their text as the vectors say', () => {
    // Rows with DNS answers pass here and are judged when the name is resolved (see the egress tests).
    const wrong = rows.filter(
      (row) => (fault(row.url) === null) !== (row.verdict === 'allow' || row.dns !== undefined),
    );
    expect(wrong).toEqual([]);
  });

  it('may lead to exceptions that were named, and to nothing else', () => {
    const allow = parseEgressAllow(['127.0.0.0/8', '::1', 'wiki', 'db.internal', '*.corp.example', '']);
    for (const url of [
      'http://127.0.0.4:1/',
      'http://0x7f.1/',
      'http://[::1]/',
      'http://wiki/',
      'http://db.internal/x',
    ]) {
      expect(fault(url, allow)).toBe(null);
    }
    expect(fault('http://a.corp.example/', allow)).toBe(null);
    for (const url of [
      'http://10.0.0.1/',
      'http://[::2]/',
      'http://other/',
      'http://b.db.internal/',
      'http://localhost/',
    ]) {
      expect(fault(url, allow)).toEqual(expect.any(String));
    }
    expect(fault('ftp://127.0.0.1/', allow)).toContain('http://');
  });

  it('refuse exceptions that are none', () => {
    for (const entry of ['http://x', '10.0.0.0/99', 'a b', '*', '*.', 'host:80']) {
      expect(() => parseEgressAllow([entry])).toThrow('is not a CIDR');
    }
  });

  it('are at most 2048 characters long', () => {
    const long = (length: number): string => `https://x.example/${'a'.repeat(length - 18)}`;
    expect(fault(long(2048))).toBe(null);
    expect(fault(long(2049))).toContain('2049 characters');
  });

  it('are quoted in the fault, but never with a password or a query', () => {
    expect(fault('ftp://files.example/x?token=hush')).toBe(
      'The URL "ftp://files.example/x" must start with http:// or https://.',
    );
    const word = fc.stringMatching(/^[a-z0-9]{8,12}$/);
    fc.assert(
      fc.property(
        word,
        word,
        fc.constantFrom('http://U:P@h.example/', 'http:U:P@[::1/', 'x://U:P@h y/', 'http://U:P?@'),
        (user, password, shape) => {
          const text = fault(shape.replace('U', user).replace('P', password));
          expect(text).toEqual(expect.any(String));
          expect(text).not.toContain(user);
          expect(text).not.toContain(password);
        },
      ),
    );
  });

  it('never throw, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })), (raw) => {
        const checked = checkUrl(raw, nothing);
        expect('url' in checked !== 'fault' in checked).toBe(true);
      }),
    );
  });
});
