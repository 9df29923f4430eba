import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchRobots, parseRobots } from '../../src/domain/robots-rules.js';

interface Row {
  id: string;
  robots: string;
  agent: string;
  url: string;
  allowed: boolean;
}

const rows = (file: string): Row[] =>
  JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8')) as Row[];

const verdict = (robots: string, agent: string, url: string): boolean =>
  matchRobots(parseRobots(robots), agent, new URL(url)).allowed;

describe('robots.txt rules', () => {
  it.each(['robots_must.json', 'robots_lenient.json'])('agree with every row of %s', (file) => {
    const wrong = rows(file).filter((row) => verdict(row.robots, row.agent, row.url) !== row.allowed);
    expect(wrong).toEqual([]);
  });

  it('name the line that decided', () => {
    const rules = parseRobots('User-agent: *\nDisallow: /a\nAllow: /a/b # fine\nCrawl-delay: 7');
    expect(matchRobots(rules, 'gleaner', new URL('https://x.example/a/b/c'))).toEqual({
      allowed: true,
      rule: 'Allow: /a/b',
      crawlDelaySeconds: 7,
    });
    expect(matchRobots(rules, 'gleaner', new URL('https://x.example/a'))).toMatchObject({ rule: 'Disallow: /a' });
    expect(matchRobots(rules, 'gleaner', new URL('https://x.example/z'))).toMatchObject({ allowed: true, rule: null });
  });

  it('never forbid robots.txt itself', () => {
    expect(verdict('User-agent: *\nDisallow: /', 'gleaner', 'https://x.example/robots.txt')).toBe(true);
  });

  it('take the crawl delay of the group that applies and ignore nonsense', () => {
    const rules = parseRobots('User-agent: *\nCrawl-delay: 3\nUser-agent: gleaner\nDisallow: /x\nCrawl-delay: soon');
    expect(matchRobots(rules, 'other', new URL('https://x.example/')).crawlDelaySeconds).toBe(3);
    expect(matchRobots(rules, 'gleaner', new URL('https://x.example/')).crawlDelaySeconds).toBe(null);
  });

  it('survive a byte order mark and binary noise', () => {
    expect(verdict('\ufeffUser-agent: *\nDisallow: /', 'gleaner', 'https://x.example/a')).toBe(false);
    expect(verdict('\u0000\u0001\ufffd\n:::\nUser-agent: *\nDisallow: /\u0000', 'gleaner', 'https://x.example/a')).toBe(
      true,
    );
  });

  it('decide a hostile pattern and a hundred thousand rules quickly', () => {
    const url = `https://x.example/${'a'.repeat(8192)}`;
    const hostile = parseRobots(`User-agent: *\nDisallow: ${'/*a'.repeat(2000)}b$\nDisallow: /${'*a'.repeat(2000)}b`);
    const began = performance.now();
    expect(matchRobots(hostile, 'gleaner', new URL(url)).allowed).toBe(true);
    expect(performance.now() - began).toBeLessThan(50);

    const many = parseRobots(`User-agent: *\n${'Disallow:/a*b\n'.repeat(35_000)}`);
    const again = performance.now();
    expect(matchRobots(many, 'gleaner', new URL(url)).allowed).toBe(true);
    expect(performance.now() - again).toBeLessThan(100);
  });

  it('forbid exactly what starts with a plain disallowed path', () => {
    const segment = fc.stringMatching(/^[a-z0-9]{1,8}$/);
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(path, path, (rule, visited) => {
        const allowed = verdict(`User-agent: *\nDisallow: ${rule}`, 'gleaner', `https://x.example${visited}`);
        expect(allowed).toBe(!visited.startsWith(rule));
      }),
    );
  });

  it('never throw, whatever the file holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.webPath(), (text, path) => {
        verdict(text, 'gleaner', `https://x.example${path}`);
        verdict(`User-agent: *\nDisallow: /${text}`, 'gleaner', `https://x.example${path}`);
      }),
    );
  });
});
