import type { Receiver } from '../support/receiver.js';
import type { Site } from '../support/site.js';
import type { Chance } from './chance.js';
import type { Loader, Page, Submission, Target } from './load.js';

export interface SoakLoadParts {
  site: Site;
  loader: Loader;
  chance: Chance;
  receiver: Receiver;
  /** Receivers that do not answer, refuse, or are not there. */
  deadReceivers: readonly { name: string; receiver: Receiver }[];
}

/** The hosts of the website that are always well, and those at which everything goes wrong. */
export const healthyHosts = ({ hosts }: Site): string[] => hosts.slice(0, 4);
const troubledHosts = ({ hosts }: Site): string[] => hosts.slice(4);

const HEALTHY: ((n: number, chance: Chance) => Page)[] = [
  (n) => ({ path: `/job/${n}`, render: 'http' }),
  (n) => ({ path: `/job/${n}`, render: 'http' }),
  (_, chance) => ({ path: `/slow?ms=${chance.between(50, 500)}`, render: 'http' }),
  (n) => ({ path: `/job/${n}`, render: 'auto' }),
  (n) => ({ path: `/js/${n}`, render: 'browser' }),
];

/** Every misbehaviour that ends within a visit's time, by plain HTTP and in a browser. */
const MISBEHAVIOURS: Page[] = [
  { path: '/hang', render: 'http' },
  { path: '/hang', render: 'browser' },
  { path: '/stall', render: 'http' },
  { path: '/drip', render: 'browser' },
  { path: '/status/503', render: 'http' },
  { path: '/status/404', render: 'browser' },
  { path: '/status/429?retry_after=1', render: 'http' },
  { path: '/loop', render: 'http' },
  { path: '/huge?mb=30', render: 'http' },
  { path: '/huge?mb=60', render: 'browser' },
  { path: '/bomb?mb=256', render: 'http' },
  { path: '/reset', render: 'http' },
  { path: '/short', render: 'browser' },
  { path: '/badchunk', render: 'http' },
  { path: '/blocked', render: 'auto' },
  { path: '/empty', render: 'http' },
  { path: '/download', render: 'browser' },
  { path: '/popups', render: 'browser' },
  { path: '/spin', render: 'browser' },
];

const PER_SECOND = 5;
const BATCH_EVERY_S = 5;
const BATCH_SIZE = 8;

/** What is submitted in one second, the same with and without faults around it. */
export function healthyLoad(second: number, { site, loader, chance, receiver }: SoakLoadParts): Submission[] {
  let count = second * 100;
  const page = (tells?: Receiver): Target => {
    const host = chance.pick(healthyHosts(site));
    return loader.target(chance.pick(HEALTHY)(count++ % 1_000, chance), { host, isSound: true, tells });
  };
  const alone = Array.from({ length: PER_SECOND }, () => {
    return loader.standalone(page(chance.happens(0.3) ? receiver : undefined));
  });
  if (second % BATCH_EVERY_S !== 0) return alone;
  return [
    ...alone,
    loader.batch(
      Array.from({ length: BATCH_SIZE }, () => page()),
      receiver,
    ),
  ];
}

/** A page at which something goes wrong, or one whose receiver is dead; with the name of what it is. */
export function faultyLoad({ site, loader, chance, deadReceivers }: SoakLoadParts): {
  name: string;
  submission: Submission;
} {
  const host = chance.pick(troubledHosts(site));
  if (chance.happens(0.2)) {
    const { name, receiver } = chance.pick(deadReceivers);
    const target = loader.target({ path: '/job/1', render: 'http' }, { host, isSound: false, tells: receiver });
    // Nobody there will ever say that it was told.
    return { name, submission: loader.standalone({ ...target, promise: { ...target.promise, isTold: false } }) };
  }
  const page = chance.pick(MISBEHAVIOURS);
  const target = loader.target(page, { host, isSound: false });
  const unbounded = { ...target, promise: { ...target.promise, requestsPerVisit: Number.POSITIVE_INFINITY } };
  return { name: `${page.path} (${page.render})`, submission: loader.standalone(unbounded) };
}
