import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.js';
import { createScrubber } from '../../src/telemetry/scrubber.js';
import { KNOWN, KNOWN_CORES, SPELLINGS } from './canaries.js';

/** Control characters, quotes and letters from everywhere, without building the table of all code points. */
const ANY_TEXT = fc.oneof(
  fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
  fc.constantFrom('é', '漢', '😀', '\u2028'),
);

describe('the scrubber and the secrets it was told', () => {
  const scrubber = createScrubber();
  for (const value of Object.values(KNOWN)) scrubber.add(value);

  for (const [name, spell] of Object.entries(SPELLINGS)) {
    it(`finds them ${name}`, () => {
      for (const core of KNOWN_CORES) {
        const text = `before ${spell(core)} after`;
        const clean = scrubber.scrub(text);
        expect(clean).toContain('[redacted]');
        expect(clean.toLowerCase()).not.toContain(spell(core).toLowerCase());
        expect(clean).toMatch(/^before .* after$/);
        expect(scrubber.suspects(JSON.stringify({ text }))).toBe(true);
      }
    });
  }

  it('leaves ordinary text as it is', () => {
    for (const text of [
      '',
      'task completed',
      'https://example.com/jobs/1?page=2&sort=date#top',
      'The target answered 503 after 3 attempts.',
      'Basic authentication, or a basic explanation of how the monkey passed the keyboard',
      'error at /app/node_modules/@fastify/swagger/index.js:10:5',
    ]) {
      expect(scrubber.scrub(text)).toBe(text);
    }
  });

  it('takes a Secret as well as a string', () => {
    const own = createScrubber();
    own.add(new Secret('hunter2hunter2'));
    expect(own.scrub('it is hunter2hunter2.')).toBe('it is [redacted].');
  });

  it('does not take values so short that they stand in ordinary words', () => {
    const own = createScrubber();
    own.add('e');
    own.add('');
    own.add('pages');
    expect(own.scrub('some pages')).toBe('some pages');
  });

  it('does not take a value that its own replacement spells', () => {
    const own = createScrubber();
    own.add('redacted');
    expect(own.scrub('this is redacted')).toBe('this is redacted');
  });

  it('forgets a value only when everyone who added it did', () => {
    const own = createScrubber();
    const first = own.add('shared-value');
    const second = own.add('shared-value');
    first();
    first();
    expect(own.scrub('shared-value')).toBe('[redacted]');
    second();
    expect(own.scrub('shared-value')).toBe('shared-value');
    expect(own.suspects('shared-value')).toBe(false);
  });

  it('removes overlapping secrets whole', () => {
    const own = createScrubber();
    own.add('abcdef');
    own.add('defghi');
    own.add('abcdefgh');
    expect(own.scrub('-abcdefghi-')).toBe('-[redacted]-');
  });

  it('never leaves the beginning of a secret where a text is cut', () => {
    for (const length of [10, 100, 4096, 65_530, 65_536, 70_000]) {
      const cut = scrubber.scrubCut('x'.repeat(length) + KNOWN.serviceKey.repeat(3), 100_000);
      expect(cut).not.toContain('CANARY');
      expect(scrubber.scrubCut('x'.repeat(length - 5) + KNOWN.serviceKey, length)).not.toMatch(/C(?:A|$|…)/);
    }
  });

  it('cuts no character in half', () => {
    expect(scrubber.scrubCut('😀'.repeat(10), 6)).toBe('😀😀…');
  });

  it('finds any secret in each of its spellings, in any surroundings', () => {
    const secrets = fc.string({ minLength: 6, maxLength: 40, unit: ANY_TEXT });
    const around = fc.string({ maxLength: 20 });
    fc.assert(
      fc.property(
        secrets,
        around,
        around,
        fc.constantFrom(...Object.keys(SPELLINGS)),
        (secret, before, after, name) => {
          fc.pre(!'[redacted]'.includes(secret.toLowerCase()));
          const own = createScrubber();
          own.add(secret);
          // Upper case is promised for ASCII only.
          const spelled = name === 'upper case' ? asciiUpper(secret) : SPELLINGS[name]!(secret);
          const clean = own.scrub(`${before}${spelled}${after}`);
          expect(clean.replaceAll('[redacted]', '')).not.toContain(spelled);
          expect(own.suspects(JSON.stringify({ deep: [`${before}${spelled}${after}`] }))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('changes nothing the second time', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom('://', '@', 'password', '=', ': ', '"', "'", '\\', 'cookie', 'Bearer ', 'token', '&', '?key='),
      fc.constantFrom(KNOWN.serviceKey, '[redacted]', '%3A%2F%2F', '%40', '\n', 'eyJabcdefghij.abcdefghij.x', ', '),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const once = scrubber.scrub(pieces.join(''));
        expect(scrubber.scrub(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the scrubber and what looks like a secret', () => {
  const { scrub } = createScrubber();

  it.each([
    ['http://bob:pw@example.com/', 'http://[redacted]@example.com/'],
    ['http://bob:p@w@example.com/a@b', 'http://[redacted]@example.com/a@b'],
    ['https://tokenonly@example.com', 'https://[redacted]@example.com'],
    ['next=http%3A%2F%2Fbob%3Apw%40example.com', 'next=http%3A%2F%2F[redacted]%40example.com'],
    ['Authorization: Bearer abc.def\nAccept: */*', 'Authorization: [redacted]\nAccept: */*'],
    ['AUTHORIZATION: Basic dXNlcjpwYXNz', 'AUTHORIZATION: [redacted]'],
    ['sent bearer abcdef123', 'sent bearer [redacted]'],
    ['curl -u with Basic dXNlcjpwYXNzMTIz', 'curl -u with Basic [redacted]'],
    ['x-service-key: abc', 'x-service-key: [redacted]'],
    ['X-SERVICE-KEY=abc', 'X-SERVICE-KEY=[redacted]'],
    ['Cookie: a=b; c="d e"\r\nHost: x', 'Cookie: [redacted]\r\nHost: x'],
    ['set-cookie: sid=1; Path=/', 'set-cookie: [redacted]'],
    ['/p?token=abc&page=2', '/p?token=[redacted]&page=2'],
    ['/p?access_token=abc#x', '/p?access_token=[redacted]'],
    ['/p?page=1&key=abc', '/p?page=1&key=[redacted]'],
    ['/p?api_key=abc&secret=d&password=e', '/p?api_key=[redacted]&secret=[redacted]&password=[redacted]'],
    ['/p?X-Amz-Signature=abc&sig=d&auth=e', '/p?X-Amz-Signature=[redacted]&sig=[redacted]&auth=[redacted]'],
    ['{"password":"a\\"b","user":"bob"}', '{"password":"[redacted]","user":"bob"}'],
    ['{\\"apiKey\\":\\"abc', '{\\"apiKey\\":\\"[redacted]'],
    ["{ webhookSecret: 'a b', n: 1 }", "{ webhookSecret: '[redacted]', n: 1 }"],
    ['["Authorization","Bearer abc","Accept","*/*"]', '["Authorization","[redacted]","Accept","*/*"]'],
    ['token: Bearer abc', 'token: [redacted]'],
    ['got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln back', 'got [redacted] back'],
  ])('turns %j into %j', (text, clean) => {
    expect(scrub(text)).toBe(clean);
  });

  it('is not slowed down or thrown off by texts made to do that', () => {
    const evil = ['://', '://a', 'password', 'password\\', 'eyJ-', 'bearer ', 'cookie', '%3a%2f%2f', 'basic ', '://a@'];
    for (const piece of evil) expect(typeof scrub(piece.repeat(30_000))).toBe('string');
    expect(scrub(`"password":"${'\\"'.repeat(300_000)}`)).toBe('"password":"[redacted]');
    // Beyond what can be matched at all: nothing of it is shown.
    expect(scrub(`"cookie":"${'a'.repeat(20_000_000)}`)).toMatch(/^("cookie":")?\[redacted\]$/);
  });
});

const asciiUpper = (text: string): string => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
