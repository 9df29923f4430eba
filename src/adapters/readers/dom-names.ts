/**
 * The name that stands at a place of the source, in lower case. Names of tags and attributes are few and repeat by the
 * thousand: the usual ones are known by their letters, so that nothing is cut out, folded and looked up for each.
 */
export function nameAt(source: string, start: number, end: number): string {
  const known = USUAL[place(end - start, source.charCodeAt(start), source.charCodeAt(end - 1))];
  if (known !== undefined) {
    for (let at = 0; at < known.length; at += 1) {
      const name = known[at] as string;
      if (name.length === end - start && stands(name, source, start)) return name;
    }
  }
  return source.slice(start, end).toLowerCase();
}

function stands(name: string, source: string, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) {
    if (name.charCodeAt(at) !== source.charCodeAt(start + at)) return false;
  }
  return true;
}

const PLACES = 512;

const place = (length: number, first: number, last: number): number => (length * 67 + first * 7 + last * 29) % PLACES;

const USUAL: (string[] | undefined)[] = Array.from({ length: PLACES }, () => undefined);

for (const name of (
  'a abbr address article aside b blockquote body br button center code dd div dl dt em fieldset figcaption figure ' +
  'font footer form g h1 h2 h3 h4 h5 h6 head header hr html i iframe img input label legend li link main meta nav ' +
  'noscript ol optgroup option p path picture pre script section select small source span strong style sub sup svg ' +
  'table tbody td textarea tfoot th thead time title tr u ul use video alt aria-hidden aria-label async charset class ' +
  'colspan content crossorigin d data-id data-src datetime decoding defer dir fill for height href hreflang id itemid ' +
  'itemprop itemscope itemtype lang loading maxlength media method name onclick placeholder property rel role rowspan ' +
  'sizes src srcset stroke style tabindex target title type typeof value viewbox width xmlns'
).split(' ')) {
  const at = place(name.length, name.charCodeAt(0), name.charCodeAt(name.length - 1));
  const there = USUAL[at];
  if (there === undefined) USUAL[at] = [name];
  else if (!there.includes(name)) there.push(name);
}
