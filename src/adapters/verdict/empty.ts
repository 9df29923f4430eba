import type { Thing } from '../readers/thing.js';
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
const isTelling = ({ props }: Thing): boolean =>
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
const NEEDS_SCRIPTS =
  /(?:enable|turn on|activate|requires?|needs?|without|allow) (?:your )?java ?script|java ?script (?:is|must be|has to be|needs to be|appears to be|seems to be)(?: currently)? (?:required|disabled|enabled|turned off|switched off|needed|not (?:enabled|available|supported))|java ?script (?:aktivieren|einschalten|ist deaktiviert|ist nicht aktiviert|wird benötigt)|(?:aktivieren sie|bitte aktiviere) (?:bitte )?java ?script|(?:activer|activez|active[rz]? le|nécessite) java ?script|(?:activa|active|activar|habilita|habilite|habilitar) java ?script|(?:abilita|attiva|abilitare|attivare) java ?script|(?:ative|habilite) o? ?java ?script|(?:schakel|zet) java ?script|włącz java ?script|(?:povolte|zapněte) java ?script|включите java ?script|java ?script ?を有効|启用 ?java ?script/;
const IS_LOADING =
  /^(?:loading|please wait|loading please wait|one moment|wird geladen|lädt|bitte warten|laden|chargement|chargement en cours|cargando|caricamento|caricamento in corso|carregando|ładowanie|načítání|laddar|laster|загрузка|読み込み中|加载中)$/;
