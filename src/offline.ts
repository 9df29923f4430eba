import { judgePage } from './adapters/page-verdict.js';
import { createRegistry } from './adapters/registry.js';
import type { ExtractOffline, OfflineAnswer } from './cli/extract.js';
import { DEFAULT_FORMATS } from './domain/adapter.js';
import { asGleanerError } from './domain/errors.js';
import type { Page, PageVerdict, RefusalCode } from './domain/page.js';
import { readRecord } from './engine/reading.js';
import { decodeText } from './fetching/charset.js';

const adapters = createRegistry();

export const targetTypes = (): string[] => adapters.types();

/** A saved page through the same code as a fetched one: decode → judge → extract → normalize. Never throws. */
export const extractOffline: ExtractOffline = ({ bytes, url, targetType, formats, now }) => {
  const adapter = adapters.get(targetType);
  if (!adapter) return failure('validation_failed', `There is no target type ${targetType}.`);
  if (formats && !adapter.formats) return failure('validation_failed', `${targetType} has no formats.`);
  if (formats?.includes('screenshot')) return failure('validation_failed', 'A saved page gives no screenshot.');
  try {
    const page = savedPage(bytes, url);
    const verdict = judgePage(page);
    if (verdict.kind === 'refusal') return refusal(verdict);
    const reading = readRecord(adapter, page, { now, formats: new Set(formats ?? DEFAULT_FORMATS) });
    return { ...reading, status: reading.quality, code: null, reason: null };
  } catch (error) {
    const { code, message } = asGleanerError(error);
    return failure(code, message);
  }
};

function savedPage(bytes: Uint8Array, url: string): Page {
  return {
    url,
    finalUrl: url,
    httpStatus: 200,
    headers: {},
    contentType: null,
    html: decodeText(bytes, null),
    bytes: bytes.byteLength,
    // What was saved is all there is: no browser will add to it.
    renderedBy: 'browser',
    redirects: [],
  };
}

const NOTHING = { record: null, provenance: {}, dropped: [], notes: [] };

const failure = (code: string, reason: string): OfflineAnswer => ({ ...NOTHING, status: 'failed', code, reason });

const STATUSES: Partial<Record<RefusalCode, OfflineAnswer['status']>> = {
  empty_page: 'empty',
  error_page: 'failed',
  missing_page: 'failed',
};

function refusal({ code, sign }: Extract<PageVerdict, { kind: 'refusal' }>): OfflineAnswer {
  const status = STATUSES[code] ?? 'blocked';
  return { ...NOTHING, status, code, reason: sign };
}
