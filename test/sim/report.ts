import type { RunResult } from './run.js';

/** The figures of many runs. */
export class Report {
  seeds = 0;
  steps = 0;
  tasks = 0;
  kills = 0;
  readonly counts: Record<string, number> = {};
  readonly failures: RunResult[] = [];

  add(result: RunResult): void {
    this.seeds += 1;
    this.steps += result.steps;
    this.tasks += result.tasks;
    this.kills += result.kills;
    for (const [kind, count] of Object.entries(result.counts)) this.counts[kind] = (this.counts[kind] ?? 0) + count;
    if (result.failure) this.failures.push(result);
  }

  figures(seconds: number): string {
    const { seeds, steps, tasks, kills, counts } = this;
    const of = (prefix: string): string =>
      Object.keys(counts)
        .filter((kind) => kind.startsWith(`${prefix}:`))
        .sort()
        .map((kind) => `${kind.slice(prefix.length + 1)} ${counts[kind]}`)
        .join(', ');
    return [
      `seeds      ${seeds} (${this.failures.length} failed)`,
      `steps      ${steps}`,
      `tasks      ${tasks}; runs ${counts.run ?? 0}`,
      `kills      ${kills}; graceful stops ${counts.stop ?? 0}; boots ${counts.boot ?? 0}; clock jumps ${counts.jump ?? 0}; stale words ${counts.stale ?? 0}`,
      `fetches    ${counts.fetch ?? 0}: ${of('site')}`,
      `webhooks   ${counts.post ?? 0}: ${of('receiver')}`,
      `commits    ${of('commit')}`,
      `clients    ${of('client')}; refused ${counts.refused ?? 0}`,
      `time       ${seconds.toFixed(1)} s, ${((seconds * 1_000) / Math.max(1, seeds)).toFixed(1)} ms a seed`,
    ].join('\n');
  }
}

/** What was violated, how it came to that, and how to see it again. */
export function describeFailure({ seed, failure }: RunResult): string {
  return [
    ...(failure?.tail ?? []).map((line) => `  ${line}`),
    `seed ${seed} violates ${failure?.message}`,
    `replay: npm run sim -- --seeds 1 --from ${seed}`,
  ].join('\n');
}
