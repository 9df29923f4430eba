import type { ScriptSign } from '../domain/adapter.js';
import { foldSpace } from '../domain/normalize/text.js';
import type { DomElement } from './readers/dom.js';
import { visibleText } from './readers/dom-text.js';
import { oncePerPage } from './readers/once.js';
import type { PageReader } from './readers/page-reader.js';
import { IS_LOADING, NEEDS_SCRIPTS } from './script-words.js';
import { isTelling } from './verdict/empty.js';
import { wordsOf } from './verdict/page-face.js';

/**
 * What raw HTML shows where scripts, not the server, are to bring the content. Measuring pixels and tag managers are on
 * every page, so that a script is there says nothing; nor does a `<noscript>` without words.
 */
export const scriptSign = (reader: PageReader): ScriptSign | null => shellSign(reader) ?? firstOf(HINTS, reader);

/** The same as far as it shows a shell: what else there is to read beside it is not yet the page. */
export const shellSign = oncePerPage((reader): ScriptSign | null =>
  isSentOn(reader) ? 'refresh' : firstOf(SHELLS, reader),
);

type Signs = readonly [ScriptSign, (reader: PageReader) => boolean][];

const SHELLS: Signs = [
  ['loading', isLoading],
  ['empty_mount', (reader) => hasLittle(reader) && mountsOf(reader).some(isEmpty)],
  ['hardly_any_text', (reader) => reader.opening.length < HARDLY_ANY],
];

const HINTS: Signs = [
  ['empty_state', (reader) => hasLittle(reader) && hasState(reader) && !reader.hydration.some(isTelling)],
  ['noscript_note', asksForScripts],
];

/** What no script can change is all there is. */
const firstOf = (signs: Signs, reader: PageReader): ScriptSign | null =>
  reader.index.scripts === 0 ? null : (signs.find(([, shows]) => shows(reader))?.[0] ?? null);

const HARDLY_ANY = 200;
const LITTLE = 1_000;
const SOON_SECONDS = 10;

const hasLittle = (reader: PageReader): boolean => reader.opening.length < LITTLE;

/** A page that renews itself every few minutes stays where it is. */
function isSentOn(reader: PageReader): boolean {
  const refresh = reader.meta('refresh');
  return refresh !== null && Number.parseFloat(refresh) <= SOON_SECONDS;
}

/** `Loading…`, but not `Loading Bay Operative`. */
function isLoading({ title }: PageReader): boolean {
  if (title === null) return false;
  const [beginning = ''] = title.split(/[|–—·•]| - /);
  return IS_LOADING.test(wordsOf(title)) || /^(?:loading|please wait|one moment)$/.test(wordsOf(beginning));
}

const MOUNTS: ReadonlySet<string> = new Set(
  'root app __next __nuxt ___gatsby app-root react-root svelte main-app application'.split(' '),
);

/** Where scripts put the page: by the usual ids, or elements of their own. */
const mountsOf = (reader: PageReader): DomElement[] => [
  ...reader.index.named.filter(({ attribs }) => MOUNTS.has(attribs.id ?? '')).slice(0, MAX_MOUNTS),
  ...['app-root', 'my-app'].flatMap((tag) => reader.select(tag)),
];

const MAX_MOUNTS = 20;

/** Grey boxes in the place of words are nothing to read either. */
const isEmpty = (mount: DomElement): boolean => visibleText(mount, MAX_SKELETON) === '';

const MAX_SKELETON = 10_000;

/** The page hands state to its scripts, of the makes that render a page from it. */
const hasState = ({ index }: PageReader): boolean =>
  index.named.some(({ attribs }) => STATE_BLOCKS.has(attribs.id ?? '')) ||
  index.inlineScripts.some((script) => STATE_GLOBALS.test(script.slice(0, MAX_OPENING)));

const STATE_BLOCKS: ReadonlySet<string> = new Set(['__NEXT_DATA__', '__NUXT_DATA__']);
const STATE_GLOBALS = /__(?:NUXT|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE)__\s{0,9}=/;
const MAX_OPENING = 2_000;

/** Comments, a map or a player that need scripts are a part of the page, not the page. */
function asksForScripts(reader: PageReader): boolean {
  const notes = reader.select('noscript').map((note) => foldSpace(visibleText(note, MAX_NOTE).toLowerCase()));
  return notes.some((note) => NEEDS_SCRIPTS.test(note) && !PARTS.test(note));
}

const MAX_NOTE = 2_000;
const PARTS = /\b(?:comments?|disqus|maps?|videos?|players?|slide ?shows?|e-?mail|chat|forms?|kommentare?|karte)\b/;
