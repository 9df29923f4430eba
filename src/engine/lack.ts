import type { Adapter } from '../domain/adapter.js';
import type { Page, PageVerdict } from '../domain/page.js';
import type { Lack } from '../ports/reader.js';

/**
 * What a browser may help with; `null` if nothing: scripts fill shells and pass some challenges, but they sign nobody
 * in and mend no error.
 */
export function lackIn(verdict: PageVerdict, adapter: Adapter, page: Page): Lack | null {
  if (verdict.kind === 'content') return adapter.enough(page) ? null : lackOfContent(adapter.scriptSign(page));
  if (verdict.code === 'blocked_page') return { appearance: 'blocked', sign: verdict.sign };
  return verdict.code === 'empty_page' ? { appearance: 'scripted', sign: verdict.sign } : null;
}

const lackOfContent = (sign: string | null): Lack => ({ appearance: sign === null ? 'plain' : 'scripted', sign });
