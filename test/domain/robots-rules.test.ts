import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ROBOTS_RULES, matchRobots, parseRobots } from '../../src/domain/robots-rules.js';

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

  /**
   * Where the sources of the rows disagree: our reading, and why. RFC 9309 holds wherever it speaks, also where another
   * reading would allow more; where it is silent the names are not ones we could go by, or the file is another origin's.
   */
  const CHOICES: { why: string; allowed?: string[]; denied?: string[] }[] = [
    {
      why: 'characters are compared after encoding (2.2.2)',
      allowed: ['rd-2', 'rd-3', 'rd-4'],
      denied: ['rd-30', 'rd-31'],
    },
    { why: 'index.html is a page like any other', denied: ['rd-5', 'rd-15'] },
    { why: 'a long line is read to its end, Allow and Disallow alike', allowed: ['rd-6'], denied: ['rd-7'] },
    { why: 'an unknown line does not end a group (2.2.4)', denied: ['rd-12', 'rd-13', 'rd-14'] },
    { why: 'a $ at the end is the end, not a character (2.2.3)', allowed: ['rd-16', 'rd-17'] },
    { why: 'a rule that is a whole URL matches no path', allowed: ['rd-24'] },
    {
      why: 'an agent is its whole name (2.2.1); others go by *',
      allowed: ['rd-26', 'rd-28'],
      denied: ['rd-27', 'rd-29'],
    },
    {
      why: 'of a name only the letters, - and _ it begins with count, in the file and in ours',
      allowed: ['rd-1', 'rd-8', 'rd-9', 'rd-11', 'rd-18', 'rd-22', 'rd-23', 'rd-25'],
      denied: ['rd-10', 'rd-19', 'rd-20', 'rd-21'],
    },
    {
      why: 'whose origin the file is was settled by whoever fetched it',
      allowed: ['rd-32', 'rd-33', 'rd-34', 'rd-35', 'rd-36', 'rd-37'],
    },
  ];

  it('keep to our choice in every row of robots_divergent.json', () => {
    const chosen = new Map<string, boolean>();
    for (const { allowed = [], denied = [] } of CHOICES) {
      for (const id of allowed) chosen.set(id, true);
      for (const id of denied) chosen.set(id, false);
    }
    const all = rows('robots_divergent.json') as (Row & { rfc9309_allowed: boolean | null })[];
    expect(Object.fromEntries(all.map((row) => [row.id, verdict(row.robots, row.agent, row.url)]))).toEqual(
      Object.fromEntries(chosen),
    );
    const against = all.filter((row) => row.rfc9309_allowed !== null && row.rfc9309_allowed !== chosen.get(row.id));
    expect(against.map(({ id }) => id)).toEqual([]);
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

  /** CPU time of this process, and the best of some runs: a busy machine makes neither much longer. */
  const cheapestMs = (decide: () => void): number => {
    const runs = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      decide();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...runs);
  };

  const longUrl = new URL(`https://x.example/${'a'.repeat(8192)}`);

  it('decide a hostile pattern without backtracking', () => {
    const hostile = parseRobots(`User-agent: *\nDisallow: ${'/*a'.repeat(2000)}b$\nDisallow: /${'*a'.repeat(2000)}b`);
    // Less than one millisecond; a matcher that tries places again takes longer than anybody waits.
    expect(cheapestMs(() => expect(matchRobots(hostile, 'gleaner', longUrl).allowed).toBe(true))).toBeLessThan(50);
  });

  it('decide as many rules as we keep', () => {
    // The last one is the shortest, so it decides only after all others were tried.
    const others = Array.from({ length: MAX_ROBOTS_RULES - 1 }, (_, n) => `Allow: /aaaa${n}\n`);
    const many = parseRobots(`User-agent: *\n${others.join('')}Disallow: /\n`);
    const decide = () => expect(matchRobots(many, 'gleaner', longUrl)).toMatchObject({ rule: 'Disallow: /' });
    // A few milliseconds; in proportion to the square of the rules it would be seconds.
    expect(cheapestMs(decide)).toBeLessThan(100);
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
