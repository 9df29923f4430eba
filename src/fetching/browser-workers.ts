import type { CDPSession } from 'playwright';

/** Says one thing to a target and brings its answer. */
export type Speak = (method: string, params: object) => Promise<unknown>;

/**
 * Has every worker introduced to the visit's identity before its first line runs, however deep they nest: what is said
 * to a page does not reach them.
 *
 * Playwright stops them too, and lets them go on its own word. Chromium waits until *all* who stopped a target let go,
 * but counts only flat sessions, and Playwright's API cannot speak in those that it did not open itself. So the flat one
 * is a mere hold: we speak in a second session, wrapped into messages, and end the hold once the answer is there.
 */
export function introduceWorkers(session: CDPSession, introduce: (speak: Speak) => Promise<unknown>): Promise<unknown> {
  const toPage: Speak = (method, params) => session.send(method as never, params as never);
  const lines = new Map<string, Line>();

  // Only the page may open a session with a worker, also with the worker of a worker, which `toParent` holds.
  const take = async ({ sessionId: hold, targetInfo }: Attached, toParent: Speak): Promise<void> => {
    try {
      const { targetId } = targetInfo;
      const { sessionId } = (await toPage('Target.attachToTarget', { targetId, flatten: false })) as Attached;
      const line = createLine((message) => toPage('Target.sendMessageToTarget', { sessionId, message }));
      lines.set(sessionId, line);
      await Promise.all([introduce(line.speak), line.speak('Target.setAutoAttach', STOP_WORKERS)]);
    } finally {
      await toParent('Target.detachFromTarget', { sessionId: hold });
    }
  };
  const meet = (attached: Attached, toParent: Speak): void => {
    // It may end meanwhile, and the page with it: then there is nobody left to introduce.
    if (attached.waitingForDebugger) take(attached, toParent).catch(ignore);
  };

  session.on('Target.attachedToTarget', (attached) => meet(attached, toPage));
  session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
    const line = lines.get(sessionId);
    const said = line?.hear(JSON.parse(message) as Message);
    if (line && said?.method === 'Target.attachedToTarget') meet(said.params as Attached, line.speak);
  });
  session.on('Target.detachedFromTarget', ({ sessionId }) => lines.delete(sessionId));
  return toPage('Target.setAutoAttach', STOP_WORKERS);
}

const STOP_WORKERS = {
  autoAttach: true,
  waitForDebuggerOnStart: true,
  flatten: true,
  filter: [{ type: 'worker' }],
};

interface Attached {
  sessionId: string;
  targetInfo: { targetId: string };
  waitingForDebugger: boolean;
}

/** An answer (with an `id`) or an event (with a `method`). */
interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

interface Line {
  speak: Speak;
  /** Takes what is an answer; an event is given back. */
  hear(message: Message): Message | null;
}

/** Questions and answers over a session that is wrapped into the messages of another. */
function createLine(post: (message: string) => Promise<unknown>): Line {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  return {
    speak: (method, params) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        post(JSON.stringify({ id: lastId, method, params })).catch(reject);
      }),
    hear(message) {
      const { id, result, error } = message;
      if (id === undefined) return message;
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error) asked?.reject(new Error(error.message));
      else asked?.resolve(result);
      return null;
    },
  };
}

const ignore = (): void => {};
