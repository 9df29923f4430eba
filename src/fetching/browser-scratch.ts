import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { profilesInUse } from './browser-process.js';

const PREFIX = 'gleaner-browser-';
/** Playwright makes the profile itself, beside our directory, and removes it only if this process lives to do so. */
const PROFILE_PREFIX = 'playwright_chromiumdev_profile-';
const PROFILE_NOTE = 'profile-path';

/** Everything one browser writes: its TMPDIR, its home, Playwright's artifacts, and a note where its profile is. */
export interface Scratch {
  readonly dir: string;
  readonly tmp: string;
  readonly artifacts: string;
  noteProfile(path: string): Promise<void>;
  remove(): Promise<void>;
}

/** The name carries our pid, so that whoever starts after a kill -9 can tell what nobody owns any more. */
export async function makeScratch(): Promise<Scratch> {
  const dir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const tmp = join(dir, 'tmp');
  const artifacts = join(dir, 'artifacts');
  await Promise.all([mkdir(tmp), mkdir(artifacts)]);
  return {
    dir,
    tmp,
    artifacts,
    noteProfile: (path) => writeFile(join(dir, PROFILE_NOTE), path),
    remove: () => removeScratch(dir),
  };
}

/** At start: removes what browsers of processes that are gone left behind. Answers how many directories of ours. */
export async function sweepScratch(startedAtMs = performance.timeOrigin): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  const ours = names.filter((name) => name.startsWith(PREFIX)).map((name) => join(tmpdir(), name));
  const owned = await Promise.all(ours.map(isOwned));
  const left = await swept(
    ours.filter((_, n) => !owned[n]),
    startedAtMs,
  );
  const unnoted = await unnotedProfiles(left, { names, startedAtMs });
  await Promise.all([...left.map(removeScratch), ...unnoted.map(removeTree)]);
  return left.length;
}

/**
 * Not what a launch left that began after this process did, as beside another service: its profile, where that is not
 * noted, could not be told from one that is about to be used, and with this directory the last trace of it would go.
 */
async function swept(unowned: string[], startedAtMs: number): Promise<string[]> {
  const [notes, births] = await Promise.all([Promise.all(unowned.map(noteIn)), Promise.all(unowned.map(bornMs))]);
  return unowned.filter((_, n) => notes[n] !== '' || births[n]! < startedAtMs);
}

/** As long as a launch may take. */
const LAUNCH_MS = 30_000;

/**
 * Who was killed during a launch had no time to note where the profile is. It is known by when it was made: during that
 * launch, before this process began, and no living browser works in it.
 */
async function unnotedProfiles(left: string[], seen: { names: string[]; startedAtMs: number }): Promise<string[]> {
  const noted = await Promise.all(left.map(noteIn));
  const launches = await Promise.all(left.filter((_, n) => noted[n] === '').map(bornMs));
  const inUse = launches.length > 0 ? await profilesInUse() : null;
  if (!inUse) return [];
  const profiles = seen.names.map((name) => join(tmpdir(), name)).filter((path) => isProfile(path) && !inUse.has(path));
  const births = await Promise.all(profiles.map(bornMs));
  const isOfLaunch = (born: number): boolean =>
    born < seen.startedAtMs && launches.some((launch) => born >= launch && born < launch + LAUNCH_MS);
  return profiles.filter((_, n) => isOfLaunch(births[n]!));
}

const noteIn = (dir: string): Promise<string> => readFile(join(dir, PROFILE_NOTE), 'utf8').catch(() => '');

/** How many browsers of this process have something here. */
export async function countScratch(): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  return names.filter((name) => name.startsWith(`${PREFIX}${process.pid}-`)).length;
}

async function removeScratch(dir: string): Promise<void> {
  const profile = await noteIn(dir);
  if (isProfile(profile)) await removeTree(profile);
  await removeTree(dir);
}

/** The note is a file like any other: only what can be a profile of ours is removed on its word. */
const isProfile = (path: string): boolean => basename(path).startsWith(PROFILE_PREFIX) && dirname(path) === tmpdir();

/** A dying Chromium may still write while we remove, hence the retries; what cannot go now is swept at the next start. */
const removeTree = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined);

async function isOwned(dir: string): Promise<boolean> {
  const pid = Number(basename(dir).slice(PREFIX.length).split('-')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return true;
  // In a container every start has the same pid: then what is older than this process is not its own.
  if (pid === process.pid) return (await bornMs(dir)) >= performance.timeOrigin;
  return isAlive(pid);
}

const bornMs = (path: string): Promise<number> =>
  stat(path).then(
    // Some filesystems do not keep it.
    (found) => found.birthtimeMs || found.mtimeMs,
    () => 0,
  );

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
