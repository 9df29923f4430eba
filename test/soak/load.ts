import type { Receiver } from '../support/receiver.js';
import type { Site } from '../support/site.js';
import type { PromisedTask } from './accounts.js';
import type { Chance } from './chance.js';

/** A target as a caller writes it, and what may be expected of it. */
export interface Target {
  body: { target_type: string; target_url: string; workspace_id: string; render: string; callback_url?: string };
  promise: Omit<PromisedTask, 'id' | 'jobId'>;
}

/** One request for work: a task on its own, or a batch. */
export interface Submission {
  /** Sent with it, so that it can be sent again when nobody knows whether it arrived. */
  key: string;
  path: '/api/v1/scrape' | '/api/v1/scrape/batch';
  body: object;
  targets: readonly Target[];
  isJobTold: boolean;
}

export interface LoadParts {
  site: Site;
  chance: Chance;
}

export interface Page {
  path: string;
  render: 'http' | 'browser' | 'auto';
}

/** Pages that are well, in every way of being brought; some take their time, so that there is something to interrupt. */
const SOUND: ((n: number, chance: Chance) => Page)[] = [
  (n) => ({ path: `/job/${n}`, render: 'http' }),
  (_, chance) => ({ path: `/slow?ms=${chance.between(100, 1_500)}`, render: 'http' }),
  (n) => ({ path: `/js/${n}`, render: 'browser' }),
  (_, chance) => ({ path: `/slow?ms=${chance.between(300, 2_000)}`, render: 'browser' }),
  (n) => ({ path: `/js/${n}`, render: 'auto' }),
  () => ({ path: '/dialogs', render: 'browser' }),
];

/** Pages that are not, but end soon. */
const UNSOUND: Page[] = [
  { path: '/status/404', render: 'http' },
  { path: '/blocked', render: 'http' },
  { path: '/short', render: 'http' },
  { path: '/reset', render: 'browser' },
  { path: '/popups', render: 'browser' },
  { path: '/download', render: 'browser' },
];

export interface Loader {
  target(page: Page, options: { host: string; isSound: boolean; tells?: Receiver | undefined }): Target;
  /** Any page that is well, or at the website's last host any other. */
  any(options: { unsoundShare: number; tells?: Receiver | undefined }): Target;
  standalone(target: Target): Submission;
  batch(targets: readonly Target[], tells?: Receiver): Submission;
}

/** Makes requests for work. Every target gets a URL of its own. */
export function createLoader({ site, chance }: LoadParts): Loader {
  const healthy = site.hosts.slice(0, -1);
  const troubled = site.hosts.at(-1)!;
  let count = 0;
  let keys = 0;

  const target: Loader['target'] = ({ path, render }, { host, isSound, tells }) => {
    const url = site.url(`${path}${path.includes('?') ? '&' : '?'}t=${++count}`, host);
    return {
      body: {
        target_type: 'job_posting',
        target_url: url,
        workspace_id: 'soak',
        render,
        ...(tells && { callback_url: tells.url('/task') }),
      },
      promise: {
        url,
        isSound,
        isTold: tells !== undefined,
        needsBrowser: render === 'browser',
        requestsPerVisit: render === 'auto' ? 2 : 1,
      },
    };
  };
  return {
    target,
    any({ unsoundShare, tells }) {
      if (chance.happens(unsoundShare)) return target(chance.pick(UNSOUND), { host: troubled, isSound: false, tells });
      const page = chance.pick(SOUND)(count, chance);
      return target(page, { host: chance.pick(healthy), isSound: true, tells });
    },
    standalone: (one) => ({
      key: `soak-${++keys}`,
      path: '/api/v1/scrape',
      body: one.body,
      targets: [one],
      isJobTold: false,
    }),
    batch: (targets, tells) => ({
      key: `soak-${++keys}`,
      path: '/api/v1/scrape/batch',
      body: { targets: targets.map(({ body }) => body), ...(tells && { callback_url: tells.url('/job') }) },
      targets,
      isJobTold: tells !== undefined,
    }),
  };
}
