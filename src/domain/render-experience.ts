import { LRUCache } from 'lru-cache';
import { Belief } from './belief.js';

/** Where an experience is made, and where it holds: one kind of page on one domain. */
export interface Ground {
  domain: string;
  targetType: string;
}

/** What a page looks like that plain HTTP brought without what is needed: like any other, like a shell for scripts, or like a block page. */
export const APPEARANCES = ['plain', 'scripted', 'blocked'] as const;
export type Appearance = (typeof APPEARANCES)[number];

/** How a visit begins. `reprobe_http`: usually it would be the browser's, but somebody must see whether that still holds. */
export type Beginning = 'http_first' | 'straight_to_browser' | 'reprobe_http';

/** How it goes on where plain HTTP was not enough. `reprobe_browser`: usually that would be left at that, but the same holds. */
export type Continuation = 'escalate' | 'kept_on_http' | 'reprobe_browser';

/** `enough`: plain HTTP was. `helped`, `brought_no_more`: it was not, and a browser then brought more or did not. */
export type Lesson =
  | { kind: 'enough' }
  | { kind: 'helped'; appearance: Appearance }
  | { kind: 'brought_no_more'; appearance: Appearance };

/** As an operator is shown it. */
export const RENDER_HABITS = ['http_first', 'straight_to_browser', 'kept_on_http'] as const;
export type RenderHabit = (typeof RENDER_HABITS)[number];

interface Experience {
  /** Do its pages need a browser? */
  needsBrowser: Belief;
  /** Does a browser bring more where a page looks like this? */
  helps: Record<Appearance, Belief>;
}

const MAX_GROUNDS = 10_000;
const PROBE_HTTP_EVERY = 20;
/** A browser costs a hundred times as much. */
const PROBE_BROWSER_EVERY = 50;

// Observations, of which some have faded: about one, three and five.
const ONE = 0.75;
const FEW = 2.5;
const MANY = 4.5;

const SCRIPTED_SHARE = 0.8;
/** Rather a browser too many than a value lost: where it helps one page in twenty, it is asked. */
const VAIN_SHARE = 0.05;
/** A probe stands for those that did not look: one that finds plain HTTP enough is believed at once. */
const PROBE_WEIGHT = 3;

/**
 * What `render: auto` has learnt, per domain and kind of page:
 *
 *   unknown ──── repeatedly a browser was needed, and helped ───▶ straight to the browser, now and then plain HTTP
 *      │ ▲                                                              │
 *      │ └── faded, or a look showed that plain HTTP is enough ─────────┘
 *      └─ a browser brought no more, repeatedly ─▶ left at plain HTTP, now and then a browser; back as soon as one helps
 *
 * What cannot be known teaches nothing, and in doubt a browser is opened: a value that is not looked for is lost without
 * a word. Pure: times are given (monotonic ms). Grounds beyond the number that is kept are forgotten, oldest first.
 */
export class RenderExperience {
  private readonly grounds: LRUCache<string, Experience>;

  constructor({ max = MAX_GROUNDS }: { max?: number } = {}) {
    this.grounds = new LRUCache({ max });
  }

  get size(): number {
    return this.grounds.size;
  }

  /** Where a visit would wait for its turn. Asking changes nothing. */
  needs(ground: Ground, now: number): 'http' | 'browser' {
    const known = this.grounds.peek(keyOf(ground));
    return known && isScripted(known, now) ? 'browser' : 'http';
  }

  /** How the visit shall begin. Whoever is told to probe does. */
  beginning(ground: Ground, now: number): Beginning {
    const known = this.grounds.get(keyOf(ground));
    if (!known || !isScripted(known, now)) return 'http_first';
    return known.needsBrowser.takeProbe(now) ? 'reprobe_http' : 'straight_to_browser';
  }

  /** A visit has gone straight to the browser. */
  wentStraight(ground: Ground): void {
    this.grounds.get(keyOf(ground))?.needsBrowser.skip();
  }

  /** A browser that went there straight was turned away: perhaps plain HTTP, which nobody tried, is not. */
  wasTurnedAway(ground: Ground): void {
    this.grounds.get(keyOf(ground))?.needsBrowser.doubt();
  }

  /** Plain HTTP was not enough. Whoever is told to leave it at that has done so. */
  continuation(ground: Ground, appearance: Appearance, now: number): Continuation {
    const known = this.grounds.get(keyOf(ground));
    if (!known || !isVain(known, appearance, now)) return 'escalate';
    const belief = known.helps[appearance];
    if (belief.takeProbe(now)) return 'reprobe_browser';
    belief.skip();
    return 'kept_on_http';
  }

  learn(ground: Ground, lesson: Lesson, now: number): void {
    const known = this.grounds.get(keyOf(ground)) ?? this.add(ground, now);
    if (lesson.kind === 'enough') {
      known.needsBrowser.observe(false, now, isScripted(known, now) ? PROBE_WEIGHT : 1);
      return;
    }
    const hasHelped = lesson.kind === 'helped';
    known.needsBrowser.observe(hasHelped, now);
    known.helps[lesson.appearance].observe(hasHelped, now);
  }

  /** `null`: nothing is known. Asking changes nothing. */
  habit(ground: Ground, now: number): RenderHabit | null {
    const known = this.grounds.peek(keyOf(ground));
    if (!known) return null;
    if (isScripted(known, now)) return 'straight_to_browser';
    return isVain(known, 'plain', now) ? 'kept_on_http' : 'http_first';
  }

  private add(ground: Ground, now: number): Experience {
    const helps = (): Belief => new Belief(PROBE_BROWSER_EVERY, now);
    const experience = {
      needsBrowser: new Belief(PROBE_HTTP_EVERY, now),
      helps: { plain: helps(), scripted: helps(), blocked: helps() },
    };
    this.grounds.set(keyOf(ground), experience);
    return experience;
  }
}

const keyOf = ({ domain, targetType }: Ground): string => `${targetType} ${domain}`;

function isScripted({ needsBrowser }: Experience, now: number): boolean {
  const { yes, no } = needsBrowser.weights(now);
  return yes >= FEW && yes >= SCRIPTED_SHARE * (yes + no);
}

function isVain(known: Experience, appearance: Appearance, now: number): boolean {
  const { yes, no } = known.helps[appearance].weights(now);
  return no >= triesNeeded(known, appearance, now) && yes <= VAIN_SHARE * (yes + no);
}

/** A page that looks like any other, on a site that does without scripts, needs no more than one try. */
function triesNeeded({ needsBrowser }: Experience, appearance: Appearance, now: number): number {
  if (appearance !== 'plain') return MANY;
  return needsBrowser.weights(now).no >= FEW ? ONE : FEW;
}
