import type { Thing } from '../readers/thing.js';
import { IS_LOADING, NEEDS_SCRIPTS } from '../script-words.js';
import { isText } from './is-text.js';
import type { PageFace } from './page-face.js';
import type { PageSign } from './signs.js';

/**
 * Nothing to read now: raw HTML that scripts would fill is empty too, until a browser has run them. A page that
 * describes itself, in structured data or in its metas, can be read however bare it looks.
 */
export function emptiness(face: PageFace): PageSign | null {
  const { reader } = face;
  if (!face.isDescribed && !isText(reader.page.html)) return 'not_text';
  if (face.length > MAX_NOTE || face.isDescribed || reader.hydration.some(isTelling)) return null;
  if (reader.meta('og:title', 'og:description', 'description') !== null) return null;
  const isSilent = !/[\p{L}\p{N}]/u.test(reader.opening);
  if (!isSilent) return isNote(face) ? 'script_shell' : null;
  if (reader.select('frameset frame').length > 0) return 'frameset';
  return reader.index.scripts > 0 || reader.select('noscript').length > 0 ? 'script_shell' : 'nothing_to_read';
}

const MAX_NOTE = 300;

/** State that names something and says more of it; settings and flags do not. */
export const isTelling = ({ props }: Thing): boolean =>
  props.size >= 4 && ['name', 'title', 'headline'].some((name) => props.has(name));

/** All it says is that scripts are needed, or that they are at work. */
const isNote = (face: PageFace): boolean =>
  (face.says(NEEDS_SCRIPTS) && saysNothingElse(face.said)) ||
  (face.reader.index.scripts > 0 && IS_LOADING.test(face.onlyLine?.words ?? ''));

/** Sentences that go on about it belong to the note. */
const saysNothingElse = (text: string): boolean =>
  text
    .split(/[.!?。]/)
    .filter((sentence) => !/java ?script|browser|reload|refresh|navigateur|navegador|neu laden/.test(sentence))
    .join('').length < MAX_REST;

const MAX_REST = 60;
