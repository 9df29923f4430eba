import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig, settingsTable } from '../src/config.js';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Every file of the project, without what is installed, built or written at run time. */
function projectFiles(dir = ''): string[] {
  const skipped = ['node_modules', 'dist', 'data', 'coverage', '.git'];
  return readdirSync(join(ROOT, dir), { withFileTypes: true })
    .filter(({ name }) => !skipped.includes(name))
    .flatMap((entry) => {
      const path = join(dir, entry.name);
      return entry.isDirectory() ? projectFiles(path) : [path];
    });
}

const { missingPackages } = await import(pathToFileURL(join(ROOT, 'scripts/complete-lock.mjs')).href);

describe('the repository', () => {
  it('has a lock file that `npm ci` accepts on every platform', () => {
    const names = missingPackages(JSON.parse(read('package-lock.json'))).map(({ name }: { name: string }) => name);
    expect(names, 'npm run lock adds them').toEqual([]);
  });

  it('installs from whichever registry npm is told to use', () => {
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, { resolved?: string }> };
    const bound = Object.entries(lock.packages).filter(([, { resolved }]) => resolved?.includes('://'));
    expect(bound.map(([path]) => path)).toEqual([]);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
  });

  it('speaks of no path of the machine it was written on', () => {
    // Put together here, so that this file is not the first to be found.
    const machine = new RegExp(`(?<![\\w.-])/(${['work', 'home/[a-z]', 'Users/[A-Za-z]', 'root'].join('|')})\\b`);
    const texts = projectFiles().filter((path) => /(\.(ts|mjs|js|json|md|ya?ml)|file|ignore|rc|run)$/.test(path));
    expect(texts.filter((path) => machine.test(read(path)))).toEqual([]);
  });

  it('shows the current settings in the README', () => {
    const table = /<!-- settings -->\n(.*)\n<!-- \/settings -->/s.exec(read('README.md'))?.[1];
    expect(table, 'npm run readme writes it between the markers').toBe(settingsTable());
  });

  it('has a script behind every command', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const files = Object.values(scripts).flatMap((script) => script.match(/(scripts|src|bench)\/[\w./-]+/g) ?? []);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).not.toBe(0);
  });
});

describe('the container', () => {
  const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
  const instructions = (name: string) =>
    [...dockerfile.matchAll(new RegExp(`^${name}\\s+(.*)$`, 'gm'))].map((match) => match[1]!.trim());
  const compose = parse(read('docker-compose.yml'));
  const service = compose.services.gleaner;

  it('copies only what is there and what .dockerignore lets through', () => {
    const copied = instructions('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(/\s+/).slice(0, -1));
    const admitted = read('.dockerignore').match(/(?<=^!).*$/gm);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(copied.filter((path) => !admitted?.includes(path))).toEqual([]);
  });

  it('runs as an ordinary user behind an init process and is asked whether it is ready', () => {
    expect(instructions('USER')).toEqual(['node']);
    expect(JSON.parse(instructions('ENTRYPOINT')[0]!)).toEqual(['/usr/bin/tini', '--']);
    expect(JSON.parse(instructions('CMD')[0]!)).toEqual(['node', '--max-semi-space-size=32', 'dist/main.js']);
    const [, probe] = instructions('HEALTHCHECK')[0]!.split(/\sCMD\s/);
    expect(JSON.parse(probe!)[2]).toContain('/readiness');
  });

  it('is configured with settings that exist and are good', () => {
    const image = Object.fromEntries(
      instructions('ENV')[0]!
        .split(/\s+/)
        .map((pair) => pair.split('=') as [string, string]),
    );
    // `${NAME:-default}` as it is with nothing set outside.
    const deployed = Object.entries(service.environment as Record<string, string>).map(
      ([name, value]) => [name, String(value).replace(/^\$\{\w+:-(.*)\}$/, '$1')] as const,
    );
    const { settings } = loadConfig({ ...image, ...Object.fromEntries(deployed) });
    expect(settings).toMatchObject({ host: '0.0.0.0', port: 8001, dataDir: '/data', chromiumSandbox: 'off' });
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(settings.gracefulShutdownSeconds);
  });

  it('is limited and closed', () => {
    expect(service.deploy.resources.limits).toMatchObject({ cpus: '2', memory: '4g' });
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.shm_size).toBe('1gb');
    expect(service.volumes).toContain('data:/data');
    expect(compose.volumes).toHaveProperty('data');
  });
});
