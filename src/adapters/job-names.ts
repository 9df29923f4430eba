import type { JobPage } from './job-page.js';
import type { DomElement, DomNode } from './readers/dom.js';
import type { Line } from './readers/lines.js';

/** What the makers of a page call its parts in `class`, `id` and `data-…`: `job-title`, `companyName`, `job__location`. */
export type PartName = 'title' | 'company' | 'location' | 'salary';

const NAMES: Record<PartName, RegExp> = {
  title: /(?:^|-)(?:job|position|vacancy|posting|role)-(?:title|name|headline)$|^(?:jobtitle|jobname|positiontitle)$/,
  company:
    /(?:^|-)(?:company|employer|organi[sz]ation|agency|advertiser)(?:-name)?$|(?:^|-)(?:companyname|employername|hiringorgani[sz]ation)$/,
  location: /(?:^|-)(?:location|locations)(?:-name|-city)?$|^(?:joblocation|job-city|workplace)$/,
  salary: /(?:^|-)(?:salary|compensation|pay)(?:-range|-info|-text)?$|^jobsalary$/,
};
const OTHERS =
  /(?:^|-)(?:search|filter|similar|related|other|more|about|follow|select|change|nav|menu|icon|logo|label|btn|button)(?:-|$)/;

/** The lines that are alone in an element of such a name. */
export function namedLines(page: JobPage, name: PartName): readonly number[] {
  return page.reader.kept(nameLines, () => nameLines(page)).get(name) ?? [];
}

function nameLines(page: JobPage): Map<PartName, number[]> {
  const found = new Map<PartName, number[]>(PARTS.map((part) => [part, []]));
  const names = new KnownNames();
  page.outline.lines.forEach((line, at) => {
    if (line.text.length > MAX_TEXT || line.hasField || !page.isOwn(at)) return;
    for (const part of partsNamed(page, line, at, names)) found.get(part)?.push(at);
  });
  return found;
}

const PARTS = Object.keys(NAMES) as PartName[];
const MAX_TEXT = 200;
const MAX_LEVELS = 4;

function partsNamed({ outline }: JobPage, line: Line, at: number, names: KnownNames): ReadonlySet<PartName> {
  let parts: Set<PartName> | null = null;
  let node: DomNode | null = line.start;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const element: DomElement | null = node.parent && 'attribs' in node.parent ? node.parent : null;
    if (!element) break;
    const span = outline.spans.get(element);
    if (span && (span.from !== at || span.to !== at + 1)) {
      if (names.isNamedIn(element, node)) parts = (parts ?? new Set<PartName>()).add('company');
      break;
    }
    // The first of several elements in a line is not the line.
    if (span || line.lead === null)
      for (const part of names.partsOf(element)) parts = (parts ?? new Set<PartName>()).add(part);
    node = element;
  }
  return parts ?? NONE;
}

const NONE: ReadonlySet<PartName> = new Set();
const ATTRIBUTES = [
  'class',
  'id',
  'itemprop',
  'data-testid',
  'data-test',
  'data-qa',
  'data-automation',
  'data-automation-id',
];
const MAX_VALUE = 200;

interface Meaning {
  parts: readonly PartName[];
  isName: boolean;
  isCompany: boolean;
}

/** The same few names stand at hundreds of elements: each is understood once. */
class KnownNames {
  readonly #known = new Map<string, Meaning>();

  partsOf({ attribs }: DomElement): PartName[] {
    const parts: PartName[] = [];
    for (const name of ATTRIBUTES) {
      const value = attribs[name];
      if (value !== undefined && value.length <= MAX_VALUE) parts.push(...this.#meaning(value).parts);
    }
    return parts;
  }

  /** `<div class="company">…<p class="name">` */
  isNamedIn(around: DomElement, inner: DomNode): boolean {
    return 'attribs' in inner && this.#says(inner, 'isName') && this.#says(around, 'isCompany');
  }

  #says({ attribs }: DomElement, what: 'isName' | 'isCompany'): boolean {
    return ATTRIBUTES.some((name) => {
      const value = attribs[name];
      return value !== undefined && value.length <= MAX_VALUE && this.#meaning(value)[what];
    });
  }

  #meaning(value: string): Meaning {
    const known = this.#known.get(value) ?? meaningOf(value);
    this.#known.set(value, known);
    return known;
  }
}

const MAY_NAME =
  /title|name|headline|company|employer|organi[sz]ation|agency|advertiser|location|city|workplace|salary|compensation|pay/i;
const NOTHING: Meaning = { parts: [], isName: false, isCompany: false };

function meaningOf(value: string): Meaning {
  if (!MAY_NAME.test(value)) return NOTHING;
  const tokens = value.split(/\s+/).map(tokenOf);
  return {
    parts: tokens.flatMap(partOf),
    isName: tokens.includes('name'),
    isCompany: tokens.some((token) => NAMES.company.test(token)),
  };
}

function partOf(token: string): PartName[] {
  return OTHERS.test(token) ? [] : PARTS.filter((part) => NAMES[part].test(token));
}

/** `jobTitle`, `job_title` and `job__title` become `job-title`. */
const tokenOf = (name: string): string =>
  name
    .replace(/([a-z])(?=[A-Z])/g, '$1-')
    .replace(/[_-]+/g, '-')
    .toLowerCase();
