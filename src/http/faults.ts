import type { TSchema } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { type FieldFault, MAX_FAULTS_PER_TARGET } from '../domain/errors.js';
import { wish } from './wish.js';

/** Every fault of a request part, one per field, named as the caller writes it: `targets[3].target_url`. */
export function fieldFaults(errors: Iterable<ValueError>, root: unknown): FieldFault[] {
  const faults = new Map<string, FieldFault>();
  const perTarget = new Map<string, number>();
  for (const error of flattened(errors)) {
    // TypeBox tells twice of a missing field: that it is required, then that undefined has the wrong type.
    if (faults.has(error.path)) continue;
    const target = error.path.split('/', 3).join('/');
    const told = perTarget.get(target) ?? 0;
    // Counted for each target: a hostile one must not hide the faults of the others.
    if (error.path !== target && told >= MAX_FAULTS_PER_TARGET) continue;
    perTarget.set(target, told + 1);
    faults.set(error.path, faultOf(error, root));
    if (faults.size >= MAX_FAULTS) break;
  }
  return [...faults.values()];
}

/** A hundred targets with as many faults each as are told. */
const MAX_FAULTS = 100 * MAX_FAULTS_PER_TARGET;

/** A fault of `X or null` is more use as the fault of X, unless the value is of another kind altogether. */
function* flattened(errors: Iterable<ValueError>): Iterable<ValueError> {
  for (const error of errors) {
    const variant = error.type === ValueErrorType.Union && Array.isArray(error.value) ? error.errors[0] : undefined;
    if (variant === undefined) yield error;
    else yield* variant;
  }
}

function faultOf(error: ValueError, root: unknown): FieldFault {
  const field = fieldName(error.path, root);
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return { field, message: `is not a known field; known here are: ${known(error.schema)}.`, value: error.value };
  }
  const message = `must be ${wish(error.schema)}.`;
  if (error.value === undefined) return { field, message: `is required and ${message}` };
  return { field, message, value: error.value };
}

const known = (schema: TSchema): string => Object.keys(schema.properties ?? {}).join(', ') || 'none';

/** `/targets/3/target_url` → `targets[3].target_url`. Whether `3` is an index or a name, only the value itself tells. */
function fieldName(path: string, root: unknown): string {
  let name = '';
  let parent: unknown = root;
  for (const escaped of path.split('/').slice(1)) {
    const part = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    name += Array.isArray(parent) ? `[${part}]` : name === '' ? part : `.${part}`;
    parent = typeof parent === 'object' && parent !== null ? (parent as Record<string, unknown>)[part] : undefined;
  }
  return name;
}
