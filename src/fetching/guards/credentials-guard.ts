import { asGleanerError, type GleanerError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Credential, Credentials } from '../../ports/credentials.js';
import type { Guard, Verdict, VisitPlan } from '../../ports/guard.js';

/** A worker waits this long for the credential API; then the task waits without one until the answer is there. */
const PATIENCE_MS = 500;

interface CredentialsGuardParts {
  /** `null`: no API is configured, and every visit goes as nobody in particular. */
  credentials: Credentials | null;
  clock: Clock;
}

/** What do we log in with? Most visits with nothing; the others only to the domain the task was made for. */
export function createCredentialsGuard({ credentials, clock }: CredentialsGuardParts): Guard {
  /** `null`: not known yet. The request goes on, for whoever asks next. */
  const inTime = async (from: Credentials, plan: Wanting, signal: AbortSignal): Promise<Credential | null> => {
    const impatience = new AbortController();
    const cancel = clock.after(PATIENCE_MS, () => impatience.abort());
    try {
      const either = AbortSignal.any([signal, impatience.signal]);
      return await from.get(plan.workspaceId, plan.provider, either);
    } catch (error) {
      if (impatience.signal.aborted && error === impatience.signal.reason) return null;
      throw error;
    } finally {
      cancel();
    }
  };

  const ask = async (from: Credentials, plan: Wanting, signal: AbortSignal): Promise<Verdict> => {
    try {
      plan.credential = await inTime(from, plan, signal);
    } catch (error) {
      return { kind: 'no', error: asGleanerError(error) };
    }
    if (plan.credential) return { kind: 'go' };
    // Only this task: others of the domain may belong to another workspace, or need none.
    const until = clock.mono() + PATIENCE_MS;
    return { kind: 'wait', until, reason: 'the credentials are being fetched', holds: 'task' };
  };

  return {
    name: 'credentials',
    check(plan, signal) {
      plan.credential = null;
      return credentials && wants(plan) ? ask(credentials, plan, signal) : { kind: 'go' };
    },
    after({ workspaceId, credential }, { error }) {
      if (credential && error && wasTurnedAway(error)) {
        credentials?.invalidate(workspaceId, credential.provider, credential);
      }
    },
  };
}

type Wanting = VisitPlan & { provider: string };

const wants = (plan: VisitPlan): plan is Wanting => plan.provider !== null;

/** The site does not know us any more: the next visit asks for newer credentials. */
const wasTurnedAway = ({ code, httpStatus }: GleanerError): boolean =>
  code === 'blocked_page' || httpStatus === 401 || httpStatus === 403;
