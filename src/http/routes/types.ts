import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type TUnsafe, Type } from '@sinclair/typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';

/** The application as routes see it: bodies, queries and parameters are typed by their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** A component of the document by its id, with its type. */
export const ref = <T>(id: string): TUnsafe<T> => Type.Unsafe<T>(Type.Ref(id));
