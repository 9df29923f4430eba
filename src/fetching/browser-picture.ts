import { GleanerError } from '../domain/errors.js';
import type { Clock } from '../ports/clock.js';
import { orFailAfter } from './abort.js';
import { succeedsWithin } from './browser-waits.js';
import type { PageWatch } from './browser-watch.js';
import type { Session } from './cdp-session.js';

/** A page that never stops loading is pictured as it is by then. */
const SETTLE_MS = 5_000;
const PICTURE_MS = 10_000;
/** Of a page without end the beginning is enough. */
const MOST_HEIGHT = 10_000;
const MOST_WIDTH = 4_000;

/** Waits until images and fonts are there, in bounded time. */
export const settleForPicture = ({ loaded }: Pick<PageWatch, 'loaded'>, clock: Clock): Promise<unknown> =>
  succeedsWithin(loaded, SETTLE_MS, clock);

interface Limits {
  maxBodyBytes: number;
  clock: Clock;
}

/** The whole page as PNG, or what is on the screen where the whole would be too large. */
export async function takePicture(session: Session, { maxBodyBytes, clock }: Limits): Promise<Uint8Array> {
  const error = new GleanerError('target_timeout', 'The page could not be pictured in time.');
  const take = (wholePage: boolean) => orFailAfter(() => shoot(session, wholePage), { ms: PICTURE_MS, error, clock });
  for (const wholePage of [true, false]) {
    const picture = await take(wholePage);
    if (picture.byteLength <= maxBodyBytes) return picture;
  }
  throw new GleanerError('body_too_large', `A picture of the page is larger than ${maxBodyBytes} bytes.`);
}

async function shoot(session: Session, wholePage: boolean): Promise<Uint8Array> {
  const { cssContentSize, cssLayoutViewport } = await session.send('Page.getLayoutMetrics');
  const shown = { width: cssLayoutViewport.clientWidth, height: cssLayoutViewport.clientHeight };
  const whole = {
    width: Math.min(Math.max(cssContentSize.width, shown.width), MOST_WIDTH),
    height: Math.min(Math.max(cssContentSize.height, shown.height), MOST_HEIGHT),
  };
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: wholePage,
    clip: { x: 0, y: 0, scale: 1, ...(wholePage ? whole : shown) },
  });
  return Buffer.from(data, 'base64');
}
