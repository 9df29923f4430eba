import { systemClock } from '../../src/backends/embedded/system-clock.js';
import type { RobotsEvidence } from '../../src/domain/robots.js';
import type { Robots } from '../../src/fetching/robots.js';
import type { Clock } from '../../src/ports/clock.js';

/** The verdict, read as often as it takes: what the guard does, without tokens and proxies. */
export async function verdictOf(robots: Robots, href: string, clock: Clock = systemClock): Promise<RobotsEvidence> {
  const url = new URL(href);
  for (;;) {
    const known = robots.known(url);
    if (known) return known;
    const state = robots.reading(url);
    if (state.kind === 'under_way') await state.done;
    else if (state.notBefore > clock.mono()) await clock.wait(state.notBefore - clock.mono());
    else await robots.attempt(url);
  }
}
