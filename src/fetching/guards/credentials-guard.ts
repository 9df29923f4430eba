import { asGleanerError, type GleanerError } from '../../domain/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Credentials } from '../../ports/credentials.js';
import type { Guard, Verdict, VisitPlan } from '../../ports/guard.js';
import { PATIENCE_MS, withPatience } from './patience.js';

interface CredentialsGuardParts {
  /** `null`: no API is configured, and every visit goes as nobody in particular. */
  credentials: Credentials | null;
  clock: Clock;
}

/** What do we log in with? Most visits with nothing; the others only to the domain the task was made for. */
export function createCredentialsGuard({ credentials, clock }: CredentialsGuardParts): Guard {
  const ask = async (from: Credentials, plan: Wanting, signal: AbortSignal): Promise<Verdict> => {
    try {
      // The request goes on without us, for whoever asks next.
      const ours = (either: AbortSignal) => from.get(plan.workspaceId, plan.provider, either);
      plan.credential = await withPatience(ours, { clock, signal });
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
  code === 'blocked_page' || code === 'login_wall' || httpStatus === 401 || httpStatus === 403;
