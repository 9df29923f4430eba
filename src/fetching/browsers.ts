import type { BrowserEngine } from '../domain/browser-engine.js';
import type { FetchRequest } from '../ports/fetcher.js';
import type { BrowserPool } from './browser-pool.js';
import { createLeanCheck } from './chromium-lean.js';
import { createEnginePools, type EnginePools, type EnginePoolsOptions } from './engine-pools.js';
import { createPrograms, type ProgramsOptions } from './engine-programs.js';
import type { BrowserSupply } from './guards/browser-guard.js';

export interface BrowsersOptions extends ProgramsOptions, Omit<EnginePoolsOptions, 'wanted' | 'program' | 'leanCheck'> {
  /** What policies demand. */
  demanded: readonly BrowserEngine[];
}

/** All the browsers there are, and all of their traffic through one proxy. */
export interface Browsers extends BrowserSupply {
  /** Up from the start. */
  readonly own: EnginePools;
  /** Of the other engine, if a policy demands that: launched on demand, and gone when nobody asks. */
  readonly other: EnginePools | null;
  poolFor(request: Pick<FetchRequest, 'engine' | 'screenshot' | 'alone'>): BrowserPool;
  version(engine: BrowserEngine | null): string | null;
  /** Begins launching. A Chromium that cannot start makes the service not ready, not dead. */
  start(): void;
  shutdown(): Promise<void>;
}

export function createBrowsers({ chromiumPath, engine, demanded, env, ...options }: BrowsersOptions): Browsers {
  const { clock, log, max } = options;
  const programs = createPrograms({ chromiumPath, engine, clock, ...(env && { env }) });
  const leanCheck = createLeanCheck({ clock, log });
  const poolsFor = (wanted: BrowserEngine, bounds: { size: number; max: number }): EnginePools => {
    const program = () => programs.launchable(wanted);
    return createEnginePools({ ...options, ...bounds, wanted, program, leanCheck });
  };
  const own = poolsFor(engine, options);
  const second = demanded.find((one) => one !== engine);
  const other = second ? poolsFor(second, { size: 0, max }) : null;
  const poolsOf = (wanted: BrowserEngine | null | undefined): EnginePools => {
    if (!other || wanted !== other.wanted) return own;
    // Where both come down to the same program, it runs once.
    return programs.areSame(wanted, engine) && !programs.lack(wanted) ? own : other;
  };

  return {
    own,
    other,
    lack: programs.lack,
    canServe(wanted) {
      const pools = poolsOf(wanted);
      if (pools === own) return own.pages.canServe();
      // An identity is made before its browser is launched, and must know the version.
      if (!pools.inUse()) pools.tryOut();
      return pools.inUse() !== null;
    },
    poolFor({ engine: wanted, screenshot, alone }) {
      const { pages, pictures, solitary } = poolsOf(wanted);
      if (alone) return solitary;
      return screenshot ? pictures : pages;
    },
    version: (wanted) => (poolsOf(wanted).inUse() ?? own.inUse())?.version ?? null,
    start() {
      void other?.start();
      void own.start().then(() => {
        const pools = poolsOf(second);
        if (pools === own) return;
        const lacking = programs.lack(pools.wanted);
        if (lacking) log.warn({ wanted: pools.wanted }, lacking.message);
        else pools.tryOut();
      });
    },
    async shutdown() {
      await Promise.all([own.shutdown(), other?.shutdown()]);
    },
  };
}
