import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const BEAT_MS = 2_000;
const STALE_MS = 15_000;
const POLL_MS = 100;

/**
 * Runs `work` while nobody else does: `npm start` beside `npm test` must not install or build at the same time.
 * The lock is a directory with its owner's name in it. It is moved into place as a whole, which fails while one is
 * there, and the owner touches it every two seconds, so that what a killed process left behind can be told.
 */
export async function withLock(dir, work, { onWait = () => {} } = {}) {
  mkdirSync(dirname(dir), { recursive: true });
  const token = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  for (let hasWaited = false; !take(dir, token); ) {
    if (bury(dir)) continue;
    if (!hasWaited) onWait();
    hasWaited = true;
    await pause(POLL_MS);
  }
  const beat = setInterval(() => touch(join(dir, 'owner')), BEAT_MS);
  const release = () => giveBack(dir, token);
  // Also on process.exit, which a signal during a step ends in.
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    process.off('exit', release);
    release();
  }
}

function take(dir, token) {
  const draft = `${dir}.${token}`;
  mkdirSync(draft);
  writeFileSync(join(draft, 'owner'), JSON.stringify({ token, pid: process.pid, host: hostname() }));
  try {
    renameSync(draft, dir);
    return true;
  } catch {
    rmSync(draft, { recursive: true, force: true });
    return false;
  }
}

/**
 * Moves a dead owner's lock out of the way. The grave bears the owner's token and stays until we are done, so that
 * a second process that judged the same lock cannot bury the fresh one that took its place: the grave is occupied.
 */
function bury(dir) {
  try {
    const owner = JSON.parse(readFileSync(join(dir, 'owner'), 'utf8'));
    const age = Date.now() - statSync(join(dir, 'owner')).mtimeMs;
    if (age < STALE_MS && !(owner.host === hostname() && isGone(owner.pid))) return false;
    const grave = `${dir}.${owner.token}.stale`;
    renameSync(dir, grave);
    process.once('exit', () => rmSync(grave, { recursive: true, force: true }));
    return true;
  } catch {
    // It was given back, or somebody else was faster.
    return false;
  }
}

function giveBack(dir, token) {
  const away = `${dir}.${token}.done`;
  try {
    if (JSON.parse(readFileSync(join(dir, 'owner'), 'utf8')).token !== token) return;
    // Moved first: deleting in place would leave an empty directory for a moment, which a rename may replace.
    renameSync(dir, away);
  } catch {
    return;
  }
  rmSync(away, { recursive: true, force: true });
}

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Taken away from us; there is nothing to keep alive.
  }
}
