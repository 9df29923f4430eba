import { realpathSync } from 'node:fs';
import type { BrowserEngine } from '../domain/browser-engine.js';

/**
 * What Chromium is started with beyond Playwright's own switches (which already turn off background networking,
 * component updates, sync, crash reports and /dev/shm). Three purposes: nothing leaves except through the egress
 * proxy, nothing is fetched that no adapter reads, nothing runs that no page needs.
 */
export function chromiumFlags(engine: BrowserEngine, { withPictures = false } = {}): string[] {
  return [
    ...EGRESS_FLAGS,
    `--blink-settings=${[...PLAYWRIGHT_BLINK_SETTINGS, ...(withPictures ? [] : NO_PICTURES)].join(',')}`,
    `--enable-features=${[...PLAYWRIGHT_ENABLED_FEATURES, NETWORK_WITHIN].join(',')}`,
    '--disable-gpu',
    NO_SHARED_WORKERS,
    ...ENGINE_FLAGS[engine],
  ];
}

/** They belong to no page, so no page's identity reaches them; sites do without them, as phones long had none. */
const NO_SHARED_WORKERS = '--disable-shared-workers';

/** By the name of the program, or of what it links to: flags must be chosen before it can be asked. */
export const engineOf = (executablePath: string): BrowserEngine =>
  [executablePath, linkedTo(executablePath)].some((path) => /headless[-_]shell/.test(path)) ? 'shell' : 'chromium';

function linkedTo(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Measured on version 156 with a hostile page: with the proxy alone STUN and TURN still leave as UDP. The shell obeys
 * only the `--force-` spelling of the WebRTC policy, full Chromium only the other one. The resolver rule is a belt: a
 * connection that escaped the proxy would find no address.
 */
const EGRESS_FLAGS = [
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-dev-shm-usage',
];

/** Like features, these are last-one-wins: Playwright's own must be said again, or the page sees a touch screen. */
export const PLAYWRIGHT_BLINK_SETTINGS = [
  'primaryHoverType=2',
  'availableHoverTypes=2',
  'primaryPointerType=4',
  'availablePointerTypes=4',
];

/**
 * Images and fonts are not requested at all, whatever their URL looks like, and it costs no message to Node.
 * (`Network.setBlockedURLs` knows only endings and works only where every network event is sent a second time.)
 */
const NO_PICTURES = ['imagesEnabled=false', 'downloadableBinaryFontsEnabled=false'];

/**
 * The part that speaks to the network needs no process of its own: that would take 80 MB, and on Linux it runs without a
 * sandbox, so it keeps nothing in. If it dies, so does the browser, and what was visited there is tried again.
 */
const NETWORK_WITHIN = 'NetworkServiceInProcess2';

export const PLAYWRIGHT_ENABLED_FEATURES = ['CDPScreenshotNewSurface', 'SkipListAccountsWithoutGaiaCookies'];

/** The list of Playwright 1.65; a test holds it against the command line Playwright really writes. */
export const PLAYWRIGHT_DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/**
 * Full Chromium keeps two more renderers per page for its own surfaces; without them it is about 1.45 times as fast. The
 * names are those of version 156: `chromium-lean.ts` looks whether they still take effect.
 */
const LEAN_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'SpareRendererForSitePerProcess',
];

/**
 * Frames of other sites stay in the page's process, as the shell has it: in one of their own they cost a renderer each,
 * and see another screen than the page, because Chromium lets only a page be told about its screen.
 */
const FRAMES_TOGETHER = '--disable-site-isolation-trials';

const ENGINE_FLAGS: Record<BrowserEngine, string[]> = {
  // window.open answers null: a popup storm never becomes pages. Full Chromium has its popup blocker for that.
  shell: ['--block-new-web-contents'],
  chromium: [FRAMES_TOGETHER, `--disable-features=${[...PLAYWRIGHT_DISABLED_FEATURES, ...LEAN_FEATURES].join(',')}`],
};

/** Playwright's switches that are taken back: it would let every popup through. */
export const IGNORED_PLAYWRIGHT_FLAGS = ['--disable-popup-blocking'];
