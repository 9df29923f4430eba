import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ROBOTS_BYTES, MAX_ROBOTS_RULES, matchRobots, parseRobots } from '../../src/domain/robots-rules.js';

/** CPU time of this process; the machine may be busy. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const visit = (path: string): URL => new URL(`https://x.example${path}`);

/** Parses and matches; a file that cannot be read is an answer too. */
function decide(text: string, path: string): void {
  try {
    matchRobots(parseRobots(text), 'gleaner', visit(path));
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    expect((error as Error).message).toMatch(/^More than \d+ rules/);
  }
}

/** As many lines as fit into a file, each made of its number. */
function fill(line: (n: number) => string, max = Number.POSITIVE_INFINITY): string {
  let text = 'User-agent:*\n';
  for (let n = 0; n < max && text.length + line(n).length < MAX_ROBOTS_BYTES; n += 1) text += `${line(n)}\n`;
  return text;
}

const letters = (n: number): string => Array.from(String(n), (digit) => 'abcdefghij'[Number(digit)]).join('');

describe('a hostile robots.txt', () => {
  it('does not multiply its rules by lines that name an agent', () => {
    const text = 'User-agent:*\n'.repeat(20_000) + fill((n) => `Disallow:/${n.toString(36)}`, 15_000);
    const rules = parseRobots(text);
    expect(matchRobots(rules, 'gleaner', visit('/bc')).rule).toBe('Disallow: /bc');
    expect(rules.groups.get('*')!.rules).toHaveLength(15_000);
  });

  it('does not multiply its rules by agents either, however many sections they share', () => {
    const agents = Array.from({ length: 5_000 }, (_, n) => `User-agent:${letters(n)}\n`).join('');
    const text = `${agents}${'Disallow:/a\n'.repeat(9_000)}${agents}${'Allow:/b\n'.repeat(9_000)}Crawl-delay:3\n`;
    const rules = parseRobots(text);
    expect(rules.agents.size).toBe(5_000);
    for (const agent of [letters(0), letters(4_999)]) {
      expect(matchRobots(rules, agent, visit('/a'))).toMatchObject({ allowed: false, crawlDelaySeconds: 3 });
      expect(matchRobots(rules, agent, visit('/b')).rule).toBe('Allow: /b');
    }
    // Only who was asked for was put together, and of equal rules one was kept.
    expect(Array.from(rules.groups.values(), (group) => group.rules.length)).toEqual([2, 2]);
  });

  it('is refused as a whole past the rules we keep, whichever way the rest reads', () => {
    const full = fill((n) => `Disallow:/${n}`, MAX_ROBOTS_RULES);
    expect(matchRobots(parseRobots(full), 'gleaner', visit('/19999')).rule).toBe('Disallow: /19999');
    expect(parseRobots(`${full}Disallow:/7\nUser-agent:other\nDisallow:/7\n`).agents.size).toBe(2);
    expect(() => parseRobots(`${full}Disallow:/b`)).toThrow(RangeError);
    expect(() => parseRobots(`${full}Allow:/7`)).toThrow(RangeError);
  });

  it('is answered with no where its rules cost more than a path is worth, and only there', () => {
    const rules = parseRobots(fill((n) => `Disallow:*ab${n}`, 15_000));
    expect(matchRobots(rules, 'gleaner', visit(`/${'a'.repeat(15_000)}`))).toMatchObject({
      allowed: false,
      rule: null,
    });
    expect(matchRobots(rules, 'gleaner', visit(`/${'a'.repeat(200)}`))).toMatchObject({ allowed: true, rule: null });
    expect(matchRobots(rules, 'gleaner', visit('/ab7')).rule).toBe('Disallow: *ab7');
  });

  const path = fc
    .tuple(fc.constantFrom('a', 'ab', "'", '%41', 'b/', '?a=', '%C3%A9'), fc.constantFrom(10, 500, 2_000, 16_000))
    .map(([unit, length]) => `/${unit.repeat(Math.ceil(length / unit.length))}`);

  const unit = fc.constantFrom('a', 'b', '*', '*a', '*ab', 'aab', "'", '%41', '%', '漢', 'K', '$', '/', ' ', '#');
  const value = fc
    .tuple(
      fc.constantFrom('/', '*', '*aab', ''),
      unit,
      fc.constantFrom(0, 1, 5, 60, 300, 1_000),
      fc.constantFrom('', 'b', '$'),
    )
    .map(([head, middle, times, tail]) => ({ head: head + middle.repeat(times), tail }));

  /** Lines of one kind; numbered ones differ from each other. */
  const block = fc
    .record({
      key: fc.constantFrom('Disallow:', 'Allow:', 'User-agent:', 'User-agent:*', 'Crawl-delay:9', 'disallow ', ''),
      value,
      isNumbered: fc.boolean(),
      end: fc.constantFrom('\n', '\r', '\r\n', '\nUser-agent:*\n', '\nCrawl-delay:1\n'),
    })
    .map(({ key, value: { head, tail }, isNumbered, end }) => {
      return (n: number): string => `${key}${head}${isNumbered ? letters(n) : ''}${tail}${end}`;
    });

  const hostileFile = fc.array(block, { minLength: 1, maxLength: 3 }).map((blocks) => {
    let text = 'User-agent:*\n';
    for (const [index, line] of blocks.entries()) {
      const share = (MAX_ROBOTS_BYTES * (index + 1)) / blocks.length;
      for (let n = 0; text.length < share; n += 1) text += line(n);
    }
    return text;
  });

  it('takes less than a second of CPU, whatever it is made of', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(hostileFile, path, (text, visited) => {
        // Some 200 ms. What is in proportion to a square of the file takes minutes or all memory.
        const ms = cpuMs(() => decide(text, visited));
        if (ms >= 1_000) expect(cpuMs(() => decide(text, visited))).toBeLessThan(1_000);
      }),
      { numRuns: 40 },
    );
  });

  it('occupies no more memory than it says', { timeout: 60_000 }, () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const texts = [
      fill((n) => `Disallow:/${n.toString(36)}`, MAX_ROBOTS_RULES),
      fill((n) => `Disallow:*${n.toString(36)}*x`, MAX_ROBOTS_RULES),
      fill((n) => `Disallow:${'*abc'.repeat(100)}${n}`),
      fill((n) => `User-agent:${letters(n)}`),
      fill(() => 'Disallow:/\nCrawl-delay:1\nUser-agent:*'),
      fill((n) => `Disallow:/${'漢'.repeat(200)}${n}`, 300),
    ];
    for (const text of texts) {
      // A copy each, as from the network; six of them, so that what else the process does weighs little.
      const copies = Array.from({ length: 6 }, () => Buffer.from(text));
      gc();
      const before = process.memoryUsage().heapUsed;
      const kept = copies.map((copy) => parseRobots(copy.toString()));
      for (const rules of kept) matchRobots(rules, 'gleaner', visit('/q'));
      gc();
      const occupied = process.memoryUsage().heapUsed - before;
      const said = kept.reduce((sum, { heapBytes }) => sum + heapBytes, 0);
      expect(occupied).toBeLessThan(1.2 * said);
      expect(said).toBeLessThan(6 * 20 * 1024 * 1024);
    }
  });
});

describe('rules of robots.txt', () => {
  interface Section {
    agents: string[];
    rules: { allow: boolean; value: string }[];
  }

  const PLAIN = /[A-Za-z0-9._~!&()+,/:;=?@[\]-]/;
  const UNRESERVED = /[A-Za-z0-9._~-]/;

  /** Letter by letter, as RFC 9309 2.2.2 says it. */
  function spell(text: string): string {
    if (text === '') return '';
    const [found, hex] = /^%([0-9a-f]{2})/i.exec(text) ?? [];
    if (found && hex) {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return (UNRESERVED.test(character) ? character : found.toUpperCase()) + spell(text.slice(3));
    }
    const [first = '', ...rest] = text;
    const bytes = Array.from(new TextEncoder().encode(first), (byte) => `%${byte.toString(16).padStart(2, '0')}`);
    return (PLAIN.test(first) ? first : bytes.join('').toUpperCase()) + spell(rest.join(''));
  }

  /** Tries everything. */
  function matches(pattern: string[], path: string[]): boolean {
    const [first, ...rest] = pattern;
    if (first === undefined) return true;
    if (first === 'END') return path.length === 0;
    if (first === 'STAR') return matches(rest, path) || (path.length > 0 && matches(pattern, path.slice(1)));
    return path[0] === first && matches(rest, path.slice(1));
  }

  function cut(value: string): { pattern: string[]; length: number } {
    const isAnchored = value.endsWith('$');
    const parts = (isAnchored ? value.slice(0, -1) : value).split('*').map(spell);
    const pattern = parts.flatMap((part, n) => (n === 0 ? [...part] : ['STAR', ...part]));
    const characters = parts.join('').length + parts.length - 1;
    return isAnchored ? { pattern: [...pattern, 'END'], length: characters + 1 } : { pattern, length: characters };
  }

  function expected(sections: Section[], url: URL): boolean {
    const ofAgent = (agent: string) => sections.filter(({ agents }) => agents.includes(agent));
    const ours = ofAgent('gleaner').length > 0 ? ofAgent('gleaner') : ofAgent('*');
    const path = [...spell(url.pathname + url.search)];
    const matching = ours
      .flatMap(({ rules }) => rules)
      .map(({ allow, value }) => ({ allow, ...cut(value) }))
      .filter(({ pattern }) => matches(pattern, path));
    const longest = Math.max(...matching.map(({ length }) => length));
    const decisive = matching.filter(({ length }) => length === longest);
    return decisive.length === 0 || decisive.some(({ allow }) => allow);
  }

  const rare = fc.constantFrom('b', '?', '%41', '%2f', '%2F', '%', "'", 'é', '漢', '\u212a', '😀', '%24');
  const letter = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'a', '/') }, { weight: 1, arbitrary: rare });
  const text = (symbol: fc.Arbitrary<string>, maxLength: number) =>
    fc.array(symbol, { maxLength }).map((symbols) => symbols.join(''));
  const rule = fc.record({
    allow: fc.boolean(),
    value: fc
      .tuple(
        fc.constantFrom('/', '*', '/a'),
        text(fc.oneof(letter, fc.constantFrom('*', '*', '$')), 6),
        fc.constantFrom('', '$'),
      )
      .map((parts) => parts.join('')),
  });
  const section = fc.record({
    agents: fc.array(fc.constantFrom('*', 'gleaner', 'other', '*'), { minLength: 1, maxLength: 4 }),
    rules: fc.array(rule, { minLength: 1, maxLength: 6 }),
  });

  it('decide as a matcher that tries everything', { timeout: 60_000 }, () => {
    const verdicts = { true: 0, false: 0 };
    fc.assert(
      fc.property(fc.array(section, { maxLength: 4 }), text(letter, 8), (sections, path) => {
        const lines = sections.flatMap(({ agents, rules }) => [
          ...agents.map((agent) => `User-agent: ${agent}`),
          ...rules.map(({ allow, value }) => `${allow ? 'Allow' : 'Disallow'}: ${value}`),
        ]);
        const url = visit(`/${path}`);
        const { allowed } = matchRobots(parseRobots(lines.join('\n')), 'gleaner', url);
        verdicts[`${allowed}`] += 1;
        expect(allowed).toBe(expected(sections, url));
      }),
      { numRuns: 1_500 },
    );
    // Neither answer is a rarity among them.
    expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(150);
  });

  it('do not take one letter for the beginning and the end of a path', () => {
    const rules = parseRobots('User-agent: *\nDisallow: /a*a$\nDisallow: /b*bc*c$');
    const isAllowed = (path: string) => matchRobots(rules, 'gleaner', visit(path)).allowed;
    expect(['/a', '/aa', '/bc', '/bbc', '/bbcc'].map(isAllowed)).toEqual([true, false, true, true, false]);
  });

  it('take a delay for the agents above it, also where more agents follow before the first rule', () => {
    const rules = parseRobots(
      'User-agent: a\nCrawl-delay: 9\nUser-agent: b\nCrawl-delay: 2\nDisallow: /x\nCrawl-delay: 3',
    );
    expect(matchRobots(rules, 'a', visit('/x'))).toMatchObject({ allowed: false, crawlDelaySeconds: 9 });
    expect(matchRobots(rules, 'b', visit('/x'))).toMatchObject({ allowed: false, crawlDelaySeconds: 3 });
  });
});
