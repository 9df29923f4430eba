/**
 * robots.txt as RFC 9309 reads it: the groups of the most specific agent apply, the longest matching pattern decides,
 * `Allow` wins a tie. Where a file is misspelt the stricter reading is taken.
 */
export interface RobotsRules {
  /** By lower-case product token; `*` for everybody else. A Map, because agents may be called `constructor`. */
  readonly groups: ReadonlyMap<string, RobotsGroup>;
}

export interface RobotsMatch {
  allowed: boolean;
  /** The line that decided, `null` if none did. */
  rule: string | null;
  crawlDelaySeconds: number | null;
}

interface RobotsGroup {
  rules: Rule[];
  crawlDelaySeconds: number | null;
}

interface Rule {
  allow: boolean;
  pattern: string;
  line: string;
}

/** RFC 9309 asks for at least 500 KiB; what comes after is not read. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

export function parseRobots(text: string): RobotsRules {
  const groups = new Map<string, RobotsGroup>();
  let agents: RobotsGroup[] = [];
  let agentsAreComplete = true;

  for (const line of readableLines(text)) {
    const [key, value] = splitLine(line);
    if (AGENT_KEYS.has(key)) {
      // Agents that follow each other share their rules. Blank and unknown lines between them do not part them.
      if (agentsAreComplete) agents = [];
      agentsAreComplete = false;
      agents.push(groupOf(groups, productToken(value)));
    } else if (key === 'allow' || DISALLOW_KEYS.has(key)) {
      agentsAreComplete = true;
      const rule = toRule(key === 'allow', value);
      if (rule) for (const group of agents) group.rules.push(rule);
    } else if (CRAWL_DELAY_KEYS.has(key)) {
      const seconds = Number(value);
      if (value === '' || !Number.isFinite(seconds) || seconds < 0) continue;
      for (const group of agents) group.crawlDelaySeconds = Math.max(seconds, group.crawlDelaySeconds ?? 0);
    }
  }

  // Longest first and Allow before Disallow, so that the first match is the verdict.
  for (const { rules } of groups.values()) {
    rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow));
  }
  return { groups };
}

/** `agent` is the product token we go by; anything after it (`/1.0`) is ignored. */
export function matchRobots(rules: RobotsRules, agent: string, url: URL): RobotsMatch {
  const group = rules.groups.get(productToken(agent)) ?? rules.groups.get('*');
  const crawlDelaySeconds = group?.crawlDelaySeconds ?? null;
  if (!group || url.pathname === '/robots.txt') return { allowed: true, rule: null, crawlDelaySeconds };
  const path = normalizePath(url.pathname + url.search);
  const decisive = group.rules.find((rule) => matchesPattern(rule.pattern, path));
  return { allowed: decisive?.allow ?? true, rule: decisive?.line ?? null, crawlDelaySeconds };
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

function groupOf(groups: Map<string, RobotsGroup>, token: string): RobotsGroup {
  const known = groups.get(token);
  if (known) return known;
  const group: RobotsGroup = { rules: [], crawlDelaySeconds: null };
  groups.set(token, group);
  return group;
}

/** An empty value says nothing; what starts with neither `/` nor `*` can match no path. */
function toRule(allow: boolean, value: string): Rule | null {
  if (!value.startsWith('/') && !value.startsWith('*')) return null;
  const anchored = value.endsWith('$');
  const body = (anchored ? value.slice(0, -1) : value).split('*').map(normalizePath).join('*');
  const line = `${allow ? 'Allow' : 'Disallow'}: ${value.slice(0, 200)}`;
  return { allow, pattern: anchored ? `${body}$` : body, line };
}

/**
 * One spelling for one path: unreserved characters plain, reserved ones as they were written (`%2F` is not `/`),
 * everything else percent-encoded in upper case. `*` and `$` are encoded, so that in a pattern only the special
 * ones are left bare.
 */
function normalizePath(text: string): string {
  return text.replace(/%([0-9a-f]{2})|[^A-Za-z0-9._~!&()+,/:;=?@[\]-]/giu, (found, hex: string | undefined) => {
    if (hex === undefined) return percentEncode(found);
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : found.toUpperCase();
  });
}

const percentEncode = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * Each piece between stars is taken at its first place after the one before. No backtracking is needed, so a hostile
 * pattern costs no more than a long one: only the last piece of an anchored pattern must sit at the very end.
 */
function matchesPattern(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const first = pieces[0]!;
  if (!path.startsWith(first)) return false;
  if (pieces.length === 1) return !anchored || path.length === first.length;
  let at = first.length;
  const last = pieces.length - 1;
  for (let n = 1; n < (anchored ? last : pieces.length); n += 1) {
    const found = path.indexOf(pieces[n]!, at);
    if (found === -1) return false;
    at = found + pieces[n]!.length;
  }
  return !anchored || (path.endsWith(pieces[last]!) && path.length - pieces[last]!.length >= at);
}
