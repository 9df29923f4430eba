import { describe, expect, it } from 'vitest';
import { installed, whyNoFull, whyNoShell } from '../support/engines.js';
import { DONE, KINDS } from '../support/hostile/kinds.js';
import { namespaceCommand, runHostilePage } from '../support/hostile/namespace.js';

const command = namespaceCommand();
const why = command ? '' : ' (skipped: no network namespace may be made here, it takes unshare, ip and the right to)';

describe(`a page that tries everything, in a network of its own${why}`, () => {
  it.skipIf(!command || !installed.shell)(
    `gets inside in many ways with the headless shell as it comes, and in none as we ship it${whyNoShell}`,
    () => expectHeld(installed.shell!),
    120_000,
  );

  it.skipIf(!command || !installed.chromium)(
    `gets inside in many ways with full Chromium as it comes, and in none as we ship it${whyNoFull}`,
    () => expectHeld(installed.chromium!),
    120_000,
  );
});

async function expectHeld(chromium: string): Promise<void> {
  const { control, shipped } = await runHostilePage(command!, chromium);

  // Nothing got inside, no datagram left, no name was asked for; and the pages did try, popups included.
  expect(shipped).toMatchObject({ through: [], tcp: 0, udp: 0, dns: 0 });
  expect(shipped.said).toEqual([`${DONE} secure=false popups=0`, `${DONE} secure=true popups=0`]);

  // The same pages get inside where nothing holds them: otherwise the zeros above would say nothing.
  const ways = new Set(control.through.map((way) => way.split(' ')[0]!));
  const scenarios = new Set(KINDS.filter(({ name }) => ways.has(name)).map(({ scenario }) => scenario));
  expect([...scenarios]).toEqual(
    expect.arrayContaining(['ss-8', 'ss-9', 'ss-10', 'ss-11', 'ss-12', 'ss-13', 'ss-14', 'ss-15', 'ss-22']),
  );
  // 45 of 50 where there is time; the headless shell itself knows no favicon, manifest, preconnect and Alt-Svc.
  expect(ways.size).toBeGreaterThan(35);
  expect(control.udp).toBeGreaterThan(0);
  expect(control.dns).toBeGreaterThan(0);
  console.info(
    `kinds that got inside: ${ways.size} of ${KINDS.length} as it comes, ${shipped.through.length} as shipped`,
  );
}
