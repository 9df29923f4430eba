import type { FastifyBaseLogger } from 'fastify';

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * The log of one request, for what there is to say beside its one line (request-log.ts). Most requests say nothing, so
 * it is opened at the first word.
 */
export function lazyLogger(parent: FastifyBaseLogger, open: () => FastifyBaseLogger): FastifyBaseLogger {
  return new LazyLogger(parent, open) as unknown as FastifyBaseLogger;
}

class LazyLogger {
  private opened: FastifyBaseLogger | null = null;

  constructor(
    private readonly parent: FastifyBaseLogger,
    private readonly open: () => FastifyBaseLogger,
  ) {}

  get level(): string {
    return this.parent.level;
  }

  child(...bindings: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.own().child(...bindings);
  }

  fatal(...said: unknown[]): void {
    this.say('fatal', said);
  }

  error(...said: unknown[]): void {
    this.say('error', said);
  }

  warn(...said: unknown[]): void {
    this.say('warn', said);
  }

  info(...said: unknown[]): void {
    this.say('info', said);
  }

  debug(...said: unknown[]): void {
    this.say('debug', said);
  }

  trace(...said: unknown[]): void {
    this.say('trace', said);
  }

  silent(...said: unknown[]): void {
    this.say('silent', said);
  }

  private own(): FastifyBaseLogger {
    this.opened ??= this.open();
    return this.opened;
  }

  private say(level: Level, said: unknown[]): void {
    const own = this.own();
    (own[level] as (...words: unknown[]) => void).apply(own, said);
  }
}
