import type { onRequestHookHandler } from 'fastify';
import { GleanerError } from '../../domain/errors.js';
import type { EngineApi } from '../../engine/api.js';

/** New work is refused before its body is read once stopping has begun. The engine refuses it too; this is sooner. */
export const refuseWhileStopping =
  (engine: EngineApi): onRequestHookHandler =>
  (_request, _reply, done) =>
    done(
      engine.acceptsWork()
        ? undefined
        : new GleanerError('shutting_down', 'The service is starting or stopping and takes no work.'),
    );
