/**
 * Statuses behind which walls stand: a challenge, a captcha, a sign-in. The page that comes with them tells more than
 * the status does.
 */
export const WALL_STATUSES: readonly number[] = [401, 403, 503];

export const isWallStatus = (status: number): boolean => WALL_STATUSES.includes(status);

/** Walls are short; of anything longer the beginning will do. */
export const MOST_OF_A_WALL = 128 * 1024;

/** Those who stand at a wall do not wait long for the rest of it. */
export const WALL_MS = 3_000;
