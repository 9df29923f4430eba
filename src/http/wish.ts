import type { TSchema } from '@sinclair/typebox';

/** What a schema wishes for, in words: `an integer from 5 to 120`, `one of auto, http, browser`. */
export function wish(schema: TSchema): string {
  if (schema.anyOf !== undefined) return anyOfWish(schema.anyOf);
  if (schema.const !== undefined) return String(schema.const);
  switch (schema.type) {
    case 'string':
      return `a string${span(schema.minLength, schema.maxLength, ' characters')}${schema['x-wish'] ? ` ${schema['x-wish']}` : ''}`;
    case 'integer':
      return `an integer${span(schema.minimum, schema.maximum, '')}`;
    case 'array':
      return `an array${span(schema.minItems, schema.maxItems, schema.uniqueItems ? ' different items' : ' items')}`;
    case 'object':
      return 'an object';
    default:
      return schema.type;
  }
}

function anyOfWish(variants: TSchema[]): string {
  const isChoice = variants.every((variant) => variant.const !== undefined);
  return isChoice ? `one of ${variants.map(wish).join(', ')}` : variants.map(wish).join(' or ');
}

function span(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  const of = unit === '' ? ' from' : ' of';
  if (most === undefined) return `${of} at least ${least}${unit}`;
  return `${of} ${least ?? 0} to ${most}${unit}`;
}
