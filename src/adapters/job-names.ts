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
  const known = named.get(page) ?? nameLines(page);
  named.set(page, known);
  return known.get(name) ?? [];
}

const named = new WeakMap<JobPage, Map<PartName, number[]>>();

function nameLines(page: JobPage): Map<PartName, number[]> {
  const found = new Map<PartName, number[]>((Object.keys(NAMES) as PartName[]).map((part) => [part, []]));
  page.outline.lines.forEach((line, at) => {
    if (line.text.length > MAX_TEXT || line.hasField || !page.isOwn(at)) return;
    for (const part of partsNamed(page, line, at)) found.get(part)?.push(at);
  });
  return found;
}

const MAX_TEXT = 200;
const MAX_LEVELS = 4;

function partsNamed({ outline }: JobPage, line: Line, at: number): Set<PartName> {
  const parts = new Set<PartName>();
  let node: DomNode | null = line.start;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const element: DomElement | null = node.parent && 'attribs' in node.parent ? node.parent : null;
    if (!element) return parts;
    const span = outline.spans.get(element);
    if (span && (span.from !== at || span.to !== at + 1))
      return isNamedIn(element, node) ? parts.add('company') : parts;
    // The first of several elements in a line is not the line.
    if (span || line.lead === null)
      for (const token of tokensOf(element)) for (const part of partOf(token)) parts.add(part);
    node = element;
  }
  return parts;
}

/** `<div class="company">…<p class="name">` */
const isNamedIn = (around: DomElement, inner: DomNode): boolean =>
  'attribs' in inner && tokensOf(inner).includes('name') && tokensOf(around).some((token) => NAMES.company.test(token));

function partOf(token: string): PartName[] {
  if (OTHERS.test(token)) return [];
  return (Object.keys(NAMES) as PartName[]).filter((part) => NAMES[part].test(token));
}

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

/** `jobTitle`, `job_title` and `job__title` become `job-title`. */
function tokensOf({ attribs }: DomElement): string[] {
  const tokens: string[] = [];
  for (const name of ATTRIBUTES) {
    const value = attribs[name];
    if (value === undefined || value.length > 200) continue;
    for (const token of value.split(/\s+/))
      tokens.push(
        token
          .replace(/([a-z])(?=[A-Z])/g, '$1-')
          .replace(/[_-]+/g, '-')
          .toLowerCase(),
      );
  }
  return tokens;
}
