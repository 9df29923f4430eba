import type { Session } from './cdp-session.js';

export type Introduce = (session: Session, to: 'page' | 'frame' | 'worker') => Promise<unknown>;

/** Introduces the page, and from then on everything that comes with it. To be called before the first navigation. */
export type IntroduceAll = (introduce: Introduce) => Promise<unknown>;

/**
 * Prepares that the page is introduced to a visit's identity, and every worker and every frame in a process of its own
 * before its first line runs, however deep they nest: what is said to a page does not reach them. Chromium stops each
 * until it is told to go on.
 */
export async function meetOffspring(page: Session): Promise<IntroduceAll> {
  let introduce: Introduce = async () => undefined;

  const watch = (session: Session): Promise<unknown> => {
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo: { type } }) => {
      const child = session.child(sessionId);
      // It may end meanwhile, and the page with it: then there is nobody left to introduce.
      void Promise.all([watch(child), introduce(child, type === 'iframe' ? 'frame' : 'worker')])
        .catch(ignore)
        .then(() => child.send('Runtime.runIfWaitingForDebugger'))
        .catch(ignore);
    });
    return session.send('Target.setAutoAttach', STOP_OFFSPRING);
  };

  await watch(page);
  return (how) => {
    introduce = how;
    return introduce(page, 'page');
  };
}

const STOP_OFFSPRING = {
  autoAttach: true,
  waitForDebuggerOnStart: true,
  flatten: true,
  filter: [{ type: 'worker' }, { type: 'iframe' }],
};

const ignore = (): void => {};
