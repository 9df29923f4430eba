import { Type } from '@sinclair/typebox';

// Headers for the document. They are read and checked by the handlers, from the raw lines: see `validation.ts`.

export const SUBMIT_HEADERS = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
      description:
        'Any text of your choice without spaces, fresh for each request, such as a UUID. For 24 hours the same key with ' +
        'the same body is the same submission: nothing is submitted twice, and the answer has `Idempotent-Replayed`. ' +
        'With another body or route it is refused as `idempotency_conflict`.',
    }),
  ),
});
