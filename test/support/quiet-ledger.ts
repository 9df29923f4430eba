import type { Deliveries } from '../../src/ports/deliveries.js';

/** For engines whose work nobody wants to be told of: the ledger is empty and stays so. */
export const quietLedger: Deliveries = {
  receivers: async () => [],
  pendingOf: async () => [],
  find: async () => null,
  bodyOf: async () => null,
  begin: async () => null,
  end: async () => null,
  openPing: async () => {
    throw new Error('This ledger takes no ping.');
  },
  recover: async () => 0,
  giveUp: async () => 0,
  bringForward: async () => 0,
  shift: async () => 0,
  redeliver: async () => null,
  redeliverBite: async () => ({ count: 0, receivers: [], nextCursor: null }),
  list: async () => ({ items: [], nextCursor: null }),
  attempts: async () => [],
  counts: async () => ({ pending: 0, dead: 0, oldestPendingAt: null }),
};
