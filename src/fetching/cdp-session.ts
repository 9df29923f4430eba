import { EventEmitter } from 'node:events';
import type { CDPSession } from 'playwright';

/**
 * A conversation with one target of Chromium's (a page, a worker, a frame in a process of its own): questions that are
 * answered, and what it tells by itself.
 */
export interface Session {
  send: CDPSession['send'];
  on: CDPSession['on'];
  /** The conversation with something that this one was attached to, by the id it was given for that. */
  child(sessionId: string): Session;
}

export interface Switchboard {
  attach(targetId: string): Promise<Session>;
}

/**
 * Conversations with pages that Playwright does not know. Its own come with a dozen of messages about everything that
 * happens in a page; half of what a page costs, in Chromium and here. All it lets us have is one conversation with the
 * browser, so ours are wrapped into the messages of that. Within a page's they are told apart by ids, as Chromium does.
 */
export function createSwitchboard(browser: CDPSession): Switchboard {
  const lines = new Map<string, Line>();
  const hangUp = (sessionId: string): void => {
    lines.get(sessionId)?.end('closed');
    lines.delete(sessionId);
  };
  browser.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => lines.get(sessionId)?.hear(message));
  browser.on('Target.detachedFromTarget', ({ sessionId }) => hangUp(sessionId));
  browser.on('close', () => {
    for (const sessionId of [...lines.keys()]) hangUp(sessionId);
  });
  return {
    async attach(targetId) {
      const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: false });
      const line = createLine((message) => browser.send('Target.sendMessageToTarget', { sessionId, message }));
      lines.set(sessionId, line);
      return line.session;
    },
  };
}

/** An answer (with an `id`) or an event (with a `method`), of a child if it names one. */
interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

interface Line {
  readonly session: Session;
  hear(message: string): void;
  /** Nothing will be answered any more. */
  end(how: 'closed' | 'crashed'): void;
}

interface Question {
  method: string;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

function createLine(post: (message: string) => Promise<unknown>): Line {
  const questions = new Map<number, Question>();
  const listeners = new Map<string | undefined, EventEmitter>();
  let lastId = 0;
  let ended: Error | null = null;

  const ask = (sessionId: string | undefined, method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      const id = ++lastId;
      questions.set(id, { method, resolve, reject });
      post(JSON.stringify({ id, method, params, sessionId })).catch((error: unknown) => {
        questions.delete(id);
        reject(error);
      });
    });
  const sessionOf = (sessionId?: string): Session => {
    const emitter = new EventEmitter();
    listeners.set(sessionId, emitter);
    return {
      send: ((method: string, params?: object) => ask(sessionId, method, params)) as Session['send'],
      on: ((method: string, listener: (params: unknown) => void) =>
        emitter.on(method, listener)) as unknown as Session['on'],
      child: sessionOf,
    };
  };
  const end: Line['end'] = (how) => {
    ended ??= new Error(`Target ${how}`);
    for (const { reject } of questions.values()) reject(ended);
    questions.clear();
  };
  const answer = (id: number, { result, error }: Message): void => {
    const question = questions.get(id);
    questions.delete(id);
    if (error) question?.reject(new Error(`${question.method}: ${error.message}`));
    else question?.resolve(result);
  };

  return {
    session: sessionOf(),
    end,
    hear(text) {
      const message = JSON.parse(text) as Message;
      const { id, method, params, sessionId } = message;
      if (id !== undefined) return answer(id, message);
      if (method === undefined) return;
      listeners.get(sessionId)?.emit(method, params);
      if (method === 'Target.detachedFromTarget') listeners.delete((params as { sessionId: string }).sessionId);
      // Whoever was asked something there will never answer.
      if (method === 'Inspector.targetCrashed' && sessionId === undefined) end('crashed');
    },
  };
}
