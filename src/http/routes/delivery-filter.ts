import { fieldError } from '../../domain/errors.js';
import type { DeliveryFilter } from '../../ports/deliveries.js';
import type { DeliveriesQuery } from '../schemas/webhooks.js';
import { timeOf } from './time.js';

type Wished = Pick<DeliveriesQuery, 'job_id' | 'task_id' | 'status' | 'receiver' | 'since'>;

/** Which deliveries are meant, in the forms the ledger knows. */
export const deliveryFilter = ({
  job_id: jobId,
  task_id: taskId,
  status,
  receiver,
  since,
}: Wished): DeliveryFilter => ({
  ...(jobId !== undefined && { jobId: jobId.toLowerCase() }),
  ...(taskId !== undefined && { taskId: taskId.toLowerCase() }),
  ...(status !== undefined && { status }),
  ...(receiver !== undefined && { receiver: originOf(receiver) }),
  ...(since !== undefined && { since: timeOf('since', since) }),
});

/** A caller knows its callback URL; the ledger knows receivers by their origin. */
function originOf(value: string): string {
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) return new URL(value).origin;
  throw fieldError([{ field: 'receiver', message: 'must be an http(s) URL or the origin of one.', value }]);
}
