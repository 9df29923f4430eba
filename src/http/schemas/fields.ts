import { type SchemaOptions, type TLiteral, type TSchema, type TUnion, Type } from '@sinclair/typebox';

/** No control characters and no half surrogate pairs: such text has no faithful form in a URL, a log or a database. */
export const PRINTABLE = '^(?:[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$';

export const printable = (options: { minLength: number; maxLength: number; description: string }) =>
  Type.String({
    ...options,
    description: `${options.description} No control characters.`,
    pattern: PRINTABLE,
    'x-wish': 'without control characters',
  });

export const choice = <T extends string>(values: readonly T[], options: SchemaOptions & { default?: T } = {}) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    options,
  ) as TUnion<TLiteral<T>[]>;

export const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const timestamp = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} ISO 8601, UTC.` });

export const uuid = (description: string) => Type.String({ format: 'uuid', description });

/** `{ … }` with nothing else in it; anything unknown is refused with the names that are known. */
export const closed = <T extends Record<string, TSchema>>(properties: T, options: { description?: string } = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

export const NO_QUERY = closed({});
