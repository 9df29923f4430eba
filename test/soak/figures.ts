/** The value below which that share of the numbers lies; `NaN` without any. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export interface Sample {
  /** Tasks so far. */
  tasks: number;
  mb: number;
}

/** Growth in MB for each hundred tasks, by least squares; `NaN` for fewer than two different counts. */
export function slopePer100(samples: readonly Sample[]): number {
  const mean = (of: (one: Sample) => number): number => samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const tasks = mean((one) => one.tasks);
  const mb = mean((one) => one.mb);
  const across = samples.reduce((sum, one) => sum + (one.tasks - tasks) ** 2, 0);
  const together = samples.reduce((sum, one) => sum + (one.tasks - tasks) * (one.mb - mb), 0);
  return across === 0 ? Number.NaN : (together / across) * 100;
}
