// Adds to package-lock.json the packages for other platforms that npm left out: where a registry does not carry them
// `npm install` forgets them silently, and then `npm ci` refuses the lock file everywhere. Run after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';
import { ROOT } from './setup.mjs';

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** Optional dependencies that no entry of the lock file satisfies: `{ name, version, dev }`. */
export function missingPackages({ packages }) {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !placesFor(path, name).some((place) => packages[place]))
      .map(([name, version]) => ({ name, version, dev })),
  );
}

/** Where Node would look for it: beside its parent and in every node_modules above. */
function placesFor(path, name) {
  const above = path.split('/node_modules/').map((_, i, parts) => parts.slice(0, i + 1).join('/node_modules/'));
  return ['', ...above].map((dir) => `${dir === '' ? '' : `${dir}/`}node_modules/${name}`);
}

/** Such packages bear their platform in their name. Without an integrity npm takes what the registry has. */
function entryFor({ name, version, dev }) {
  const words = name.split('/').at(-1).split('-');
  const of = (known) => known.filter((word) => words.includes(word));
  const libc = words.includes('musl') ? ['musl'] : words.some((word) => word.startsWith('gnu')) ? ['glibc'] : [];
  const entry = { version, cpu: of(PROCESSORS), dev, libc, optional: true, os: of(SYSTEMS) };
  if (entry.cpu.length === 0) throw new Error(`${name} does not name its platform; add it by hand`);
  // Only what says something, in npm's own order.
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined && value.length !== 0));
}

if (process.argv[1]?.endsWith('complete-lock.mjs')) {
  const file = `${ROOT}/package-lock.json`;
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingPackages(lock);
  const added = missing.map((one) => [`node_modules/${one.name}`, entryFor(one)]);
  const all = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en'));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(all) }, null, 2)}\n`);
  process.stdout.write(`${missing.length} packages added to package-lock.json\n`);
}
