export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

interface Family {
  type: string;
  samples: Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const NUMBER = /^(?:[+-]?Inf|nan|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/**
 * A strict reader of the Prometheus text format 0.0.4: throws on anything a scraper would refuse, and on what a linter
 * for it complains about (names that promise another type). Answers every sample.
 */
export function checkExposition(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the text must end with a line feed');
  const families = new Map<string, Family>();
  const helped = new Set<string>();
  const series = new Set<string>();
  let current: string | null = null;

  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, comment, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (comment === 'HELP') {
      if (helped.has(name!)) throw new Error(`two HELP lines for ${name}`);
      helped.add(name!);
    } else if (comment === 'TYPE') {
      if (!NAME.test(name!) || families.has(name!)) throw new Error(`bad or second TYPE for ${name}`);
      if (!['counter', 'gauge', 'histogram', 'summary'].includes(rest!)) throw new Error(`unknown type ${rest}`);
      families.set(name!, { type: rest!, samples: [] });
      current = name!;
    } else {
      const sample = readSample(line);
      const family = families.get(current ?? '');
      if (!family || !belongs(sample.name, current!, family.type)) throw new Error(`outside its family: ${line}`);
      const id = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
      if (series.has(id)) throw new Error(`duplicate series: ${line}`);
      series.add(id);
      family.samples.push(sample);
    }
  }
  for (const [name, family] of families) checkFamily(name, family, helped);
  return [...families.values()].flatMap((family) => family.samples);
}

function readSample(line: string): Sample {
  const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s.exec(line);
  if (!match || !NUMBER.test(match[3]!)) throw new Error(`not a sample: ${line}`);
  return { name: match[1]!, labels: readLabels(match[2] ?? '', line), value: numberOf(match[3]!) };
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest !== '') {
    const match = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/.exec(rest);
    if (!match || Object.hasOwn(labels, match[1]!)) throw new Error(`bad labels: ${line}`);
    labels[match[1]!] = match[2]!.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
    rest = rest.slice(match[0].length);
  }
  return labels;
}

const numberOf = (text: string): number =>
  /inf$/i.test(text)
    ? (text.startsWith('-') ? -1 : 1) * Number.POSITIVE_INFINITY
    : Number(text.replace(/^nan$/i, 'NaN'));

function belongs(name: string, family: string, type: string): boolean {
  if (type !== 'histogram') return name === family;
  return ['_bucket', '_sum', '_count'].some((suffix) => name === family + suffix);
}

function checkFamily(name: string, { type, samples }: Family, helped: Set<string>): void {
  if (!helped.has(name)) throw new Error(`no HELP for ${name}`);
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`${name} is a ${type}: wrong suffix`);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} is negative`);
  if (type === 'histogram') checkHistogram(name, samples);
}

/** Buckets rise in bound and never fall in count; the last is +Inf and equals the count; one sum, one count. */
function checkHistogram(name: string, samples: Sample[]): void {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...others } = sample.labels;
    const id = JSON.stringify(Object.entries(others).sort());
    groups.set(id, [...(groups.get(id) ?? []), sample]);
  }
  for (const [id, group] of groups) {
    const buckets = group.filter((sample) => sample.name.endsWith('_bucket'));
    const sums = group.filter((sample) => sample.name.endsWith('_sum'));
    const counts = group.filter((sample) => sample.name.endsWith('_count'));
    if (sums.length !== 1 || counts.length !== 1) throw new Error(`${name}${id}: one sum and one count`);
    buckets.forEach((bucket, at) => {
      const before = buckets[at - 1];
      if (!before) return;
      const rises = numberOf(bucket.labels.le!) > numberOf(before.labels.le!) && bucket.value >= before.value;
      if (!rises) throw new Error(`${name}${id}: buckets do not rise`);
    });
    const last = buckets.at(-1);
    if (last?.labels.le !== '+Inf' || last.value !== counts[0]!.value)
      throw new Error(`${name}${id}: +Inf is not count`);
  }
}
