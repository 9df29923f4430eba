import type { onRequestHookHandler } from 'fastify';
import { GleanerError } from '../../domain/errors.js';
import type { Door } from '../door.js';

/**
 * New work is refused before its body is read: once stopping has begun (the engine refuses it too; this is sooner), and
 * while the service is overloaded. Everything else goes on: that is how the load comes down.
 */
export const refuseNewWork =
  ({ engine, overload }: Pick<Door, 'engine' | 'overload'>): onRequestHookHandler =>
  (_request, _reply, done) =>
    done(engine.acceptsWork() ? (overload?.refuse() ?? undefined) : stopping());

const stopping = (): GleanerError =>
  new GleanerError('shutting_down', 'The service is starting or stopping and takes no work.');
