import type { CDPSession } from 'playwright';

/** Says one thing to a target and brings its answer. */
export type Speak = (method: string, params: object) => Promise<unknown>;

export type Introduce = (speak: Speak, to: 'page' | 'frame' | 'worker') => Promise<unknown>;

/** Introduces the page, and from then on everything that comes with it. To be called before the first navigation. */
export type IntroduceAll = (introduce: Introduce) => Promise<unknown>;

/**
 * Prepares that the page is introduced to a visit's identity, and every worker and every frame in a process of its own
 * before its first line runs, however deep they nest: what is said to a page does not reach them.
 *
 * Playwright stops them too, and lets them go on its own word; Chromium waits until *all* who stopped a target let go.
 * What stops one is a mere hold (see `RELEASES`): we speak in another session, wrapped into messages, and end the hold
 * once the answers are there. What two sessions say to one target arrives in any order, and the later one wins: so
 * Playwright must have nothing to say about what is introduced here.
 */
export async function openLines(session: CDPSession): Promise<IntroduceAll> {
  const toPage: Speak = (method, params) => session.send(method as never, params as never);
  const lines = new Map<string, Line>();
  let introduce: Introduce = async () => undefined;

  // Only the page may open a session with its offspring, also with the worker of a worker, which `toParent` holds.
  const open = async (targetId: string): Promise<Speak> => {
    const { sessionId } = (await toPage('Target.attachToTarget', { targetId, flatten: false })) as Attached;
    const line = createLine((message) => toPage('Target.sendMessageToTarget', { sessionId, message }));
    lines.set(sessionId, line);
    return line.speak;
  };
  // One session stops either workers or frames, for each needs its own kind of hold. The introduction belongs in the
  // last one opened: in a new process each is restored in turn, and one that said nothing would take the platform back.
  const openFrame = async (targetId: string): Promise<Speak> => {
    const speak = await open(targetId);
    await speak('Target.setAutoAttach', stop('iframe'));
    return speak;
  };

  const take = async ({ sessionId: hold, targetInfo }: Attached, toParent: Speak): Promise<void> => {
    const { targetId, type } = targetInfo;
    const isFrame = type === 'iframe';
    try {
      const speak = await open(targetId);
      const introduced = isFrame
        ? openFrame(targetId).then((toFrame) => introduce(toFrame, 'frame'))
        : introduce(speak, 'worker');
      await Promise.all([introduced, speak('Target.setAutoAttach', stop('worker'))]);
    } finally {
      await (isFrame ? RELEASES.iframe : RELEASES.worker)(hold, toParent);
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
  const [speak] = await Promise.all([
    session.send('Target.getTargetInfo').then(({ targetInfo }) => openFrame(targetInfo.targetId)),
    toPage('Target.setAutoAttach', stop('worker')),
  ]);
  return (how) => {
    introduce = how;
    return introduce(speak, 'page');
  };
}

const stop = (type: 'worker' | 'iframe'): object => ({
  autoAttach: true,
  waitForDebuggerOnStart: true,
  flatten: type === 'worker',
  filter: [{ type }],
});

/**
 * Chromium holds a worker for flat sessions only, and Playwright's API cannot speak in those that it did not open
 * itself; but to end one is enough. A frame is held for either kind, but let go only by word of mouth.
 */
const RELEASES = {
  worker: (sessionId: string, toParent: Speak) => toParent('Target.detachFromTarget', { sessionId }),
  iframe: (sessionId: string, toParent: Speak) =>
    toParent('Target.sendMessageToTarget', {
      sessionId,
      message: JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }),
    }),
};

interface Attached {
  sessionId: string;
  targetInfo: { targetId: string; type: string };
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
