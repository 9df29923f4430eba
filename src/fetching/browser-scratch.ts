import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

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

/** At start: removes what browsers of processes that are gone left behind. Answers how many. */
export async function sweepScratch(): Promise<number> {
  const names = await readdir(tmpdir()).catch(() => []);
  const swept = names
    .filter((name) => name.startsWith(PREFIX))
    .map(async (name) => {
      const dir = join(tmpdir(), name);
      if (await isOwned(dir)) return 0;
      await removeScratch(dir);
      return 1;
    });
  return (await Promise.all(swept)).reduce<number>((sum, one) => sum + one, 0);
}

async function removeScratch(dir: string): Promise<void> {
  const profile = await readFile(join(dir, PROFILE_NOTE), 'utf8').catch(() => '');
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
    (found) => found.mtimeMs,
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
