import { type DomDocument, type DomElement, isElement, walk } from './dom.js';

/** How much there is to read in a part of the page, and of what kind. */
export interface Weight {
  text: number;
  /** Characters of it that are inside links. */
  linked: number;
  links: number;
  /** Characters that stand in runs long enough to be sentences, and mostly outside links. */
  prose: number;
  /** Main headings. */
  titles: number;
}

/** The weight of every block, and what the page itself marks as content or as the frame around it. */
export interface WeighedPage {
  readonly weights: ReadonlyMap<DomElement, Weight>;
  /** Of all that is not frame. */
  readonly total: Weight;
  readonly frame: ReadonlySet<DomElement>;
  readonly mains: readonly DomElement[];
  readonly articles: readonly DomElement[];
  readonly articleBodies: readonly DomElement[];
}

/** One walk over the page. What is frame does not weigh on the parts that hold it. */
export function weigh(root: DomDocument): WeighedPage {
  const scale = new Scale();
  walk(root, {
    enter(node) {
      if (isElement(node)) {
        scale.open(node);
        return node.isUnseen ? 'over' : 'into';
      }
      if ('data' in node) scale.put(node.data);
      return 'over';
    },
    leave: (element) => scale.close(element),
  });
  scale.endRun();
  return scale;
}

// Shorter runs are labels, buttons and headings as often as sentences.
const SENTENCE = 40;

class Scale implements WeighedPage {
  readonly weights = new Map<DomElement, Weight>();
  readonly total: Weight = nothing();
  readonly frame = new Set<DomElement>();
  readonly mains: DomElement[] = [];
  readonly articles: DomElement[] = [];
  readonly articleBodies: DomElement[] = [];
  readonly #open: Weight[] = [this.total];
  #run = 0;
  #linkedRun = 0;
  #openLinks = 0;
  #openContents = 0;

  put(data: string): void {
    const length = data.trim().length;
    this.#run += length;
    if (this.#openLinks > 0) this.#linkedRun += length;
  }

  open(element: DomElement): void {
    if (element.name === 'a') {
      this.#openLinks += 1;
      this.#top.links += 1;
    }
    if (!isBlock(element)) return;
    this.endRun();
    this.#open.push(nothing());
    if (isContent(element)) this.#openContents += 1;
  }

  close(element: DomElement): void {
    if (element.name === 'a') this.#openLinks -= 1;
    if (!isBlock(element)) return;
    this.endRun();
    const weight = this.#open.pop() as Weight;
    if (element.name === 'h1') weight.titles += 1;
    this.weights.set(element, weight);
    if (isContent(element)) this.#openContents -= 1;
    this.#note(element);
    if (isFrame(element, weight, this.#openContents > 0)) this.frame.add(element);
    else addTo(this.#top, weight);
  }

  /** A run is what stands between two blocks; line breaks and inline elements do not end it. */
  endRun(): void {
    const [text, linked] = [this.#run, this.#linkedRun];
    if (text === 0) return;
    const prose = text >= SENTENCE && linked * 2 <= text ? text : 0;
    addTo(this.#top, { text, linked, prose, links: 0, titles: 0 });
    this.#run = 0;
    this.#linkedRun = 0;
  }

  get #top(): Weight {
    return this.#open[this.#open.length - 1] as Weight;
  }

  #note(element: DomElement): void {
    if (isMain(element)) this.mains.push(element);
    else if (element.name === 'article') this.articles.push(element);
    else if (element.attribs.itemprop?.includes('articleBody')) this.articleBodies.push(element);
  }
}

const nothing = (): Weight => ({ text: 0, linked: 0, links: 0, prose: 0, titles: 0 });

function addTo(sum: Weight, weight: Weight): void {
  sum.text += weight.text;
  sum.linked += weight.linked;
  sum.links += weight.links;
  sum.prose += weight.prose;
  sum.titles += weight.titles;
}

const isBlock = ({ name, isInline }: DomElement): boolean => name !== 'br' && !isInline;

const isMain = ({ name, attribs }: DomElement): boolean => name === 'main' || attribs.role === 'main';

const isContent = (element: DomElement): boolean => isMain(element) || element.name === 'article';

const FRAME_TAGS: ReadonlySet<string> = new Set(['nav', 'footer', 'aside', 'menu']);
const FRAME_ROLES: ReadonlySet<string> = new Set(
  'navigation contentinfo complementary search dialog alertdialog menu menubar toolbar tablist'.split(' '),
);

/** What the page marks as standing around its content. A header inside the content is the content's own. */
function isFrame({ name, attribs }: DomElement, weight: Weight, isInContent: boolean): boolean {
  if (FRAME_TAGS.has(name) || FRAME_ROLES.has(attribs.role ?? '')) return true;
  if ((name !== 'header' && attribs.role !== 'banner') || isInContent) return false;
  // Some pages open with a header that is their first section: a title and a few sentences.
  return weight.titles === 0 || weight.prose === 0;
}
