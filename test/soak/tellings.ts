import { verify } from '../../src/webhook.js';
import type { Received } from '../support/receiver.js';
import { OLD_SECRET } from '../support/told.js';
import { type Finding, finding, type Telling } from './accounts.js';

/** What a receiver makes of its requests: one telling each, and a finding for each that nobody should believe. */
export function tellingsOf(requests: readonly Received[]): { told: Telling[]; findings: Finding[] } {
  const told: Telling[] = [];
  const findings: Finding[] = [];
  for (const { headers, body, wallAt } of requests) {
    try {
      const { id, payload } = verify(headers, body, OLD_SECRET, { now: () => wallAt });
      const { task_id: taskId, job_id: jobId } = payload as { task_id?: string; job_id?: string };
      told.push({ webhookId: id, about: String(taskId ?? jobId), body: body.toString() });
    } catch (error) {
      findings.push(finding('broken', `a webhook does not verify: ${error}`));
    }
  }
  return { told, findings };
}
