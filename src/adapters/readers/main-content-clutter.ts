import type { DomElement } from './dom.js';
import type { WeighedPage, Weight } from './main-content-weight.js';

/** What the names that makers give to parts of a page say about them. */
type Hint = 'links' | 'clutter' | 'consent' | 'unseen' | null;

/** Tells what stands within the content without belonging to it. */
export class ClutterJudge {
  readonly #page: WeighedPage;
  readonly #hints = new Map<string, Hint>();

  constructor(page: WeighedPage) {
    this.#page = page;
  }

  isClutter(element: DomElement): boolean {
    if (CONTROLS.has(element.name) || this.#page.frame.has(element)) return true;
    if (KEPT.has(element.name)) return false;
    if (element.name === 'a' && isAnchorSign(element)) return true;
    const hint = this.#hintOf(element);
    if (hint === 'unseen') return true;
    const weight = this.#page.weights.get(element);
    if (!weight) return false;
    if (hint === 'links' && weight.linked * 2 >= weight.text) return true;
    // Nothing is written at greater length than what nobody came to read.
    if (hint === 'consent') return this.#page.total.prose > weight.prose || weight.prose === 0;
    if (hint === 'clutter' || element.name === 'form') return this.#canBeSpared(weight);
    return this.#isMenu(element, weight);
  }

  /** Names mislead (`has-sidebar`, a form around the whole page): what holds most of the page is not clutter. */
  #canBeSpared({ text, prose }: Weight): boolean {
    const { total } = this.#page;
    const [own, rest] = total.prose > 0 ? [prose, total.prose - prose] : [text, total.text - text];
    return rest >= own && rest > 0;
  }

  /** Nothing but short links, and little beside what the page has to tell. A page that is a list of links keeps them. */
  #isMenu({ name }: DomElement, weight: Weight): boolean {
    if (!MENU_TAGS.has(name) || weight.links < 3 || weight.titles > 0 || weight.prose > 0) return false;
    if (weight.text * 2 > this.#page.total.prose) return false;
    return weight.linked >= weight.text * 0.75 && weight.linked < weight.links * SHORT_LINK;
  }

  #hintOf({ attribs }: DomElement): Hint {
    if (attribs.id === undefined && attribs.class === undefined) return null;
    const names = attribs.id === undefined ? (attribs.class ?? '') : `${attribs.id} ${attribs.class ?? ''}`;
    const known = this.#hints.get(names);
    if (known !== undefined) return known;
    const hint = readHint(
      names
        .slice(0, 200)
        .replace(/([a-z])([A-Z])/g, '$1-$2')
        .toLowerCase(),
    );
    this.#hints.set(names, hint);
    return hint;
  }
}

const SHORT_LINK = 40;

/** The `#` or `¶` beside a heading that links to itself. */
function isAnchorSign({ attribs, children: [only, ...others] }: DomElement): boolean {
  if (!attribs.href?.startsWith('#') || others.length > 0 || !only || !('data' in only)) return false;
  const sign = only.data.trim();
  return sign.length <= 2 && !/[\p{L}\p{N}]/u.test(sign);
}

const CONTROLS: ReadonlySet<string> = new Set('button input label'.split(' '));
const KEPT: ReadonlySet<string> = new Set('html body main h1 h2 h3 h4 h5 h6 p pre'.split(' '));
const MENU_TAGS: ReadonlySet<string> = new Set('div section ul ol dl table tr td p center'.split(' '));

const named = (words: string): RegExp => new RegExp(`(?:^|[\\s_-])(?:${words})(?:$|[\\s_\\d-])`);

const LINKS = named('[a-z\\d]*nav(?:i|bar|igation)?|[a-z\\d]*menus?|breadcrumbs?|pager|pagination|tags|toc|flyout');
const CLUTTER = named(
  '[a-z\\d]*footer[a-z]*|foot|[a-z\\d]*sidebar[a-z]*|side-bar|share|sharing|sharebar|addthis|' +
    'socials?|related[a-z]*|similar[a-z]*|recommended|recommendations?|comments?|disqus|newsletter|subscribe|' +
    'subscription|popup|pop-up|modal|overlay|adverts?|advertisement|ads|ad|sponsored|promo|masthead|site-?header|' +
    'topbar|top-bar|toolbar|search-?form|login',
);
// `no-sidebar` and `has-sidebar` are said of what stands beside it.
const BESIDE = /(?:^|[\s_-])(?:no|has|with|without|left|right|two|one)[_-]?(?:sidebar|footer|nav|menu)\w{0,9}/g;
const UNSEEN = named(
  'skip-?(?:link|to|nav)s?|sr-only|screen-reader(?:-text)?|(?:visually|element)-?(?:hidden|invisible)|off-?screen|no-?print',
);

const CONSENT = named('cookies?(?:-?(?:banner|bar|notice|consent|policy|law|info|popup))?|consent|gdpr|ccpa');

function readHint(given: string): Hint {
  const names = given.replace(BESIDE, ' ');
  if (CONSENT.test(names)) return 'consent';
  if (UNSEEN.test(names)) return 'unseen';
  if (CLUTTER.test(names)) return 'clutter';
  return LINKS.test(names) ? 'links' : null;
}
