/** One setting that cannot be used: where it was written, what was received, what is wished. Secrets are never shown. */
export interface SettingFault {
  /** `SCRAPER_PORT`, or a place in a file: `config/domain-policies.yaml: domains.example.com.max_delay_ms`. */
  key: string;
  value: string;
  wish: string;
}

export const HIDDEN = '(hidden)';

/** Everything that is wrong with the configuration, at once: nobody should have to start five times to find five faults. */
export class SettingsError extends Error {
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    super([headline(faults.length), ...faults.map(line)].join('\n'));
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

/** A received value as it may be printed: quoted, on one line and not endless. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  // The fallback is for what JSON has no text for, such as a function.
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** ` (did you mean X?)` when a known word is close enough to be what was meant, else nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const best = known.map((name) => ({ name, far: distance(word, name) })).sort((a, b) => a.far - b.far)[0];
  return best && best.far <= Math.max(2, Math.floor(word.length / 5)) ? ` (did you mean ${best.name}?)` : '';
}

const headline = (count: number) => (count === 1 ? 'A setting cannot be used:' : `${count} settings cannot be used:`);

const line = ({ key, value, wish }: SettingFault) => `  ${key}: received ${value}, wished: ${wish}`;

/** Levenshtein distance, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
