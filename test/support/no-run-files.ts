import type { RunFiles } from '../../src/ports/run-files.js';

const none = (): never => {
  throw new Error('There are no runs here.');
};

/** For engines that have no jobs with a plan. */
export const noRunFiles: RunFiles = {
  lock: none,
  keep: none,
  drop: none,
  record: none,
  lastAttempt: none,
  appendAttempts: none,
  writeAudit: none,
  writeCheckpoint: none,
  readCheckpoint: async () => null,
  expire: async () => 0,
};
