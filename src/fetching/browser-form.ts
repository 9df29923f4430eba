import { FORM_TYPE } from '../domain/form.js';
import { type HeaderChanges, headersOf } from './browser-credential.js';
import type { PausedRequest } from './browser-hops.js';

/** The form that the first request of a visit posts, if there is one. Chromium only opens addresses by itself. */
export interface FormPost {
  changesTo(paused: PausedRequest, changes: HeaderChanges): HeaderChanges & { method?: string; postData?: string };
}

export function createFormPost(body: string | null): FormPost {
  let left = body;
  return {
    changesTo(paused, changes) {
      // Nothing is paused before the first document is asked for.
      if (left === null) return changes;
      const postData = Buffer.from(left).toString('base64');
      left = null;
      const { origin } = new URL(paused.request.url);
      const added = [
        { name: 'Content-Type', value: FORM_TYPE },
        { name: 'Origin', value: origin },
      ];
      const headers = [...(changes.headers ?? headersOf(paused)), ...added];
      return { method: 'POST', postData, headers: headers.sort((one, other) => placeOf(one) - placeOf(other)) };
    },
  };
}

/** Headers that are changed go out in the order they are given; this is the one in which Chromium sends its own. */
const ORDER = [
  ...['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'upgrade-insecure-requests', 'content-type'],
  ...['user-agent', 'origin', 'accept-language', 'accept'],
];

function placeOf({ name }: { name: string }): number {
  const place = ORDER.indexOf(name.toLowerCase());
  return place === -1 ? ORDER.length : place;
}
