import { type Adapter, DEFAULT_FORMATS, type Format } from './adapter.js';
import type { FieldFault } from './errors.js';
import type { TaskSpec } from './task.js';

/** What is wrong with the formats of a wish. */
export function formatFaults(spec: TaskSpec, adapter: Adapter, prefix = ''): FieldFault[] {
  if (!adapter.formats) {
    const message = `must be left out: ${spec.targetType} has no formats`;
    return spec.formats === null ? [] : [{ field: `${prefix}formats`, message, value: spec.formats }];
  }
  if (spec.render !== 'http' || !wantedFormats(spec, adapter.formats).includes('screenshot')) return [];
  const message = 'must be auto or browser: plain HTTP gives no screenshot';
  return [{ field: `${prefix}render`, message, value: spec.render }];
}

/**
 * The wish with nothing left open: which formats, which fields and which way. A format that is asked for beside fields
 * is one of them, and a screenshot takes a browser.
 */
export function settledWish(spec: TaskSpec, adapter: Adapter): TaskSpec {
  if (!adapter.formats) return spec;
  const formats = wantedFormats(spec, adapter.formats);
  const requestedFields = spec.requestedFields && [...new Set([...spec.requestedFields, ...formats])];
  return { ...spec, formats, requestedFields, render: formats.includes('screenshot') ? 'browser' : spec.render };
}

/** Those that are named; else those that are asked for as fields; else the usual. */
function wantedFormats({ formats, requestedFields }: TaskSpec, offered: readonly Format[]): Format[] {
  if (formats !== null) return formats;
  return requestedFields === null ? [...DEFAULT_FORMATS] : offered.filter((format) => requestedFields.includes(format));
}
