import type { Page, PageVerdict } from '../domain/page.js';
import { readPage } from './readers/page-reader.js';
import { emptiness } from './verdict/empty.js';
import { ERROR_CLUES } from './verdict/errors.js';
import { PageFace } from './verdict/page-face.js';
import { PAGE_SIGNS, type PageSign } from './verdict/signs.js';
import { BLOCK_CLUES } from './verdict/turned-away.js';
import { type Clue, VENDOR_CLUES } from './verdict/vendors.js';
import { WALL_CLUES } from './verdict/walls.js';

/**
 * Is this the page that was asked for? Refusals are short, so a page with much to read is content whatever scripts it
 * carries; a recaptcha beside a contact form proves nothing, nor does a cookie banner over an article.
 */
export function judgePage(page: Page): PageVerdict {
  const sign = signOf(new PageFace(readPage(page)));
  return sign === null ? { kind: 'content' } : { kind: 'refusal', code: PAGE_SIGNS[sign].code, sign };
}

/** Those who guard sites are known best, so they are asked first. */
function signOf(face: PageFace): PageSign | null {
  if (mayBeBlocked(face)) {
    const sign = firstOf(VENDOR_CLUES, face) ?? firstOf(BLOCK_CLUES, face);
    if (sign) return sign;
  }
  return firstOf(WALL_CLUES, face) ?? errorSign(face) ?? emptiness(face);
}

function errorSign(face: PageFace): PageSign | null {
  const sign = firstOf(ERROR_CLUES, face);
  return sign !== null && !face.isItem ? sign : null;
}

const MUCH = 2_500;

const mayBeBlocked = (face: PageFace): boolean => face.length < MUCH && !face.isDescribed;

const firstOf = (clues: readonly Clue[], face: PageFace): PageSign | null =>
  clues.find(({ shows }) => shows(face))?.sign ?? null;
