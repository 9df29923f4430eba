import {
  cutPattern,
  matchesPattern,
  newEffort,
  normalizePath,
  normalizePattern,
  type Pattern,
} from './robots-pattern.js';

/**
 * robots.txt as RFC 9309 reads it: the groups of the most specific agent apply, the longest matching pattern decides,
 * `Allow` wins a tie. Where a file is misspelt the stricter reading is taken.
 */
export interface RobotsRules {
  /** By lower-case product token; `*` for everybody else. A Map, because agents may be called `constructor`. */
  readonly agents: ReadonlyMap<string, readonly Membership[]>;
  /** Groups of the agents somebody asked for, put together when first asked. */
  readonly groups: Map<string, RobotsGroup>;
  /** About what all this occupies, the text included. */
  readonly heapBytes: number;
}

export interface RobotsMatch {
  allowed: boolean;
  /** The line that decided, `null` if none did. */
  rule: string | null;
  crawlDelaySeconds: number | null;
}

/** The part an agent has in a section. Several agents share one, and nothing in it is copied for any of them. */
interface Membership {
  section: Section;
  /** Delays before this one were written above the agent's name and are not meant for it. */
  firstDelay: number;
}

/** Agents in a row and the lines below them. */
interface Section {
  rules: Rule[];
  delaysSeconds: number[];
}

/** Everything an agent has to keep to, whatever sections it stood in. */
interface RobotsGroup {
  /** The most specific first, so that the first match is the verdict. */
  rules: readonly Rule[];
  crawlDelaySeconds: number | null;
}

interface Rule {
  allow: boolean;
  value: string;
  pattern: Pattern;
}

/** RFC 9309 asks for at least 500 KiB; what comes after is not read. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** Different ones in a file; the same rule for a hundred agents is one. */
export const MAX_ROBOTS_RULES = 20_000;

/**
 * Work and memory grow with the length of the file, not with agents times rules. Throws where there are more rules than
 * we keep: without the rest nobody can say what is allowed, so the file counts as one that could not be read.
 */
export function parseRobots(text: string): RobotsRules {
  const agents = new Map<string, Membership[]>();
  const known = new Map<string, Rule>();
  let section: Section | null = null;
  let isOpenToAgents = false;

  for (const line of readableLines(text)) {
    const [key, value] = splitLine(line);
    if (AGENT_KEYS.has(key)) {
      // Agents that follow each other share their rules. Blank and unknown lines between them do not part them.
      if (!section || !isOpenToAgents) section = { rules: [], delaysSeconds: [] };
      isOpenToAgents = true;
      join(agents, productToken(value), section);
    } else if (key === 'allow' || DISALLOW_KEYS.has(key)) {
      isOpenToAgents = false;
      const rule = section && toRule(known, key === 'allow', value);
      if (rule) section?.rules.push(rule);
    } else if (CRAWL_DELAY_KEYS.has(key)) {
      const seconds = Number(value);
      if (value !== '' && Number.isFinite(seconds) && seconds >= 0) section?.delaysSeconds.push(seconds);
    }
  }
  return { agents, groups: new Map(), heapBytes: heapBytesOf(text, agents, known) };
}

/**
 * `agent` is the product token we go by; anything after it (`/1.0`) is ignored. Where the rules cost more than one path
 * is worth, the answer is no, and no line decided it.
 */
export function matchRobots(rules: RobotsRules, agent: string, url: URL): RobotsMatch {
  const group = groupOf(rules, productToken(agent)) ?? groupOf(rules, '*');
  const crawlDelaySeconds = group?.crawlDelaySeconds ?? null;
  if (!group || url.pathname === '/robots.txt') return { allowed: true, rule: null, crawlDelaySeconds };
  const path = normalizePath(url.pathname + url.search);
  const effort = newEffort();
  for (const { allow, value, pattern } of group.rules) {
    if (matchesPattern(pattern, path, effort)) {
      return { allowed: allow, rule: `${allow ? 'Allow' : 'Disallow'}: ${value.slice(0, 200)}`, crawlDelaySeconds };
    }
    if (effort.left < 0) return { allowed: false, rule: null, crawlDelaySeconds };
  }
  return { allowed: true, rule: null, crawlDelaySeconds };
}

const AGENT_KEYS = new Set(['user-agent', 'useragent', 'user agent']);
const DISALLOW_KEYS = new Set(['disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw']);
const CRAWL_DELAY_KEYS = new Set(['crawl-delay', 'crawldelay', 'crawl delay']);

function* readableLines(text: string): Iterable<string> {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (const raw of text.slice(start, start + MAX_ROBOTS_BYTES).split(/\r\n|\r|\n/)) {
    const hash = raw.indexOf('#');
    const line = (hash === -1 ? raw : raw.slice(0, hash)).trim();
    if (line !== '') yield line;
  }
}

/** `Key: value`; some files forget the colon, and `disallow /` still means what it says. */
function splitLine(line: string): [key: string, value: string] {
  const at = line.includes(':') ? line.indexOf(':') : line.search(/\s/);
  if (at === -1) return [line.toLowerCase(), ''];
  return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
}

/** `FooBot/1.2 (+http://…)` goes by `foobot`. The empty token is nobody's. */
function productToken(agent: string): string {
  if (/^\*(\s|$)/.test(agent)) return '*';
  return (/^[a-z_-]*/i.exec(agent)?.[0] ?? '').toLowerCase();
}

function join(agents: Map<string, Membership[]>, token: string, section: Section): void {
  const memberships = agents.get(token) ?? [];
  if (memberships.length === 0) agents.set(token, memberships);
  // Named twice in a row is named once.
  if (memberships.at(-1)?.section === section) return;
  memberships.push({ section, firstDelay: section.delaysSeconds.length });
}

/**
 * An empty value says nothing; what starts with neither `/` nor `*` can match no path. A rule that is known already is
 * not made again.
 */
function toRule(known: Map<string, Rule>, allow: boolean, value: string): Rule | null {
  if (!value.startsWith('/') && !value.startsWith('*')) return null;
  const text = normalizePattern(value);
  const key = `${allow ? '+' : '-'}${text}`;
  const same = known.get(key);
  if (same) return same;
  if (known.size === MAX_ROBOTS_RULES) throw new RangeError(`More than ${MAX_ROBOTS_RULES} rules in a robots.txt.`);
  const rule = { allow, value, pattern: cutPattern(text) };
  known.set(key, rule);
  return rule;
}

/** Put together only for who asks: for every agent of a file it would be agents times rules. */
function groupOf({ agents, groups }: RobotsRules, token: string): RobotsGroup | null {
  const memberships = agents.get(token);
  const known = groups.get(token);
  if (known || !memberships) return known ?? null;
  const rules = new Set(memberships.flatMap(({ section }) => section.rules));
  const delays = memberships.flatMap(({ section, firstDelay }) => section.delaysSeconds.slice(firstDelay));
  const group = {
    // Longest first and Allow before Disallow. Of equals the one written first.
    rules: [...rules].sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow)),
    crawlDelaySeconds: delays.length === 0 ? null : delays.reduce((a, b) => Math.max(a, b)),
  };
  groups.set(token, group);
  return group;
}

/** Rounded up from what a 64-bit V8 was seen to take. Values and pieces are slices, which keep the text alive. */
function heapBytesOf(text: string, agents: Map<string, Membership[]>, known: Map<string, Rule>): number {
  let memberships = 0;
  for (const { length } of agents.values()) memberships += length;
  let patterns = 0;
  for (const { pattern } of known.values()) patterns += 250 + 2 * pattern.length + 50 * pattern.pieces.length;
  return 2 * text.length + patterns + 450 * memberships;
}
