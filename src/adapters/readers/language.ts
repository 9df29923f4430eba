import { isElement } from './dom.js';
import type { PageReader } from './page-reader.js';

/** `lang` of the page's root element. */
export function rootLanguage(reader: PageReader): string | null {
  const html = reader.root.children.filter(isElement).find(({ name }) => name === 'html');
  return readLanguage(html?.attribs.lang ?? html?.attribs['xml:lang'] ?? null);
}

export const metaLanguage = (reader: PageReader): string | null =>
  readLanguage(reader.meta('og:locale')) ?? readLanguage(reader.meta('content-language', 'language', 'dc.language'));

/** `en`, `pt-BR`: a tag of BCP 47 whose language there is. Lists, names (`English`) and placeholders are none. */
export function readLanguage(text: string | null): string | null {
  const tag = text?.trim().replaceAll('_', '-') ?? '';
  if (!/^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,3}$/i.test(tag)) return null;
  try {
    const { language, baseName } = new Intl.Locale(tag);
    return names.of(language) === undefined || NO_LANGUAGE.has(language) ? null : baseName;
  } catch {
    return null;
  }
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
// Several, none, and not coded.
const NO_LANGUAGE: ReadonlySet<string> = new Set(['mul', 'zxx', 'mis']);

/** `en` and `en-GB` say the same, one of them less of it. */
export const sameLanguage = (a: unknown, b: unknown): boolean =>
  String(a).split('-', 1)[0] === String(b).split('-', 1)[0];
