import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { breaches, ROOMS } from './room-rules.js';

const SRC = join(import.meta.dirname, '../../src');

const entries = readdirSync(SRC, { withFileTypes: true });
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(SRC, path), 'utf8') }));

describe('the rooms of src', () => {
  it('import only what the table allows, and take time and chance as arguments', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.flatMap(breaches)).toEqual([]);
  });

  it('each say in a README what lives there', () => {
    const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(rooms.filter((room) => !existsSync(join(SRC, room, 'README.md')))).toEqual([]);
    expect(rooms.filter((room) => !ROOMS[room])).toEqual([]);
  });

  it('hold everything but the wiring and the settings', () => {
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const wiring = [
      'main.ts',
      'compose.ts',
      'offline.ts',
      'gleaner.ts',
      'telemetry.ts',
      'webhook.ts',
      'readers.ts',
      'fetchers.ts',
      'visit-guards.ts',
      'read-worker.ts',
    ];
    const readers = [
      'settings-table.ts',
      'settings-fault.ts',
      'settings-file.ts',
      'case-records.ts',
      'domain-policies.ts',
      'proxy-file.ts',
      'secret-file.ts',
      'service-report.ts',
    ];
    expect(files.filter((name) => !['config.ts', ...wiring, ...readers].includes(name))).toEqual([]);
  });

  it('give receivers of webhooks a file that brings nothing else with it', () => {
    const textOf = (path: string) => sources.find((source) => source.path === path)?.text ?? '';
    const importsOf = (path: string) =>
      [...textOf(path).matchAll(/^(?:import|export)\b[^;]*? from '(.+)';$/gm)].map(([, from]) => from);
    expect(importsOf('webhook.ts')).toEqual(['node:crypto', './domain/webhook-signature.js']);
    expect(importsOf('domain/webhook-signature.ts')).toEqual(['node:crypto']);
  });
});

describe('the check itself', () => {
  const found = (path: string, text: string) => breaches({ path, text });

  it.each([
    ['domain/a.ts', "import { x } from '../ports/clock.js';", 'domain/ may not import ports/'],
    ['domain/deep/a.ts', "import { x } from '../../config.js';", 'domain/ may not import src/config.js'],
    ['engine/a.ts', "export * from '../fetching/http.js';", 'engine/ may not import fetching/'],
    ['engine/a.ts', "const m = await import('../store/sql.js');", 'engine/ may not import store/'],
    ['adapters/a.ts', "type T = import('../engine/api.js').T;", 'adapters/ may not import engine/'],
    ['http/a.ts', "import { x, type Y } from '../engine/api.js';", 'http/ may import only types of engine/'],
    ['plans/a.ts', "import '../ports/clock.js';", 'plans/ may import only types of ports/'],
    ['store/a.ts', "import Database from 'better-sqlite3';", 'better-sqlite3 may be imported only in backends/'],
    ['http/a.ts', "import type { Page } from 'playwright';", 'playwright may be imported only in fetching/'],
    ['main.ts', "import fastify from 'fastify';", 'fastify may be imported only in http/'],
    ['main.ts', "import { x } from '@fastify/swagger';", '@fastify/swagger may be imported only in http/'],
    ['domain/a.ts', "import { readFileSync } from 'node:fs';", 'domain/ may not import node:fs'],
    [
      'engine/a.ts',
      "import { setTimeout } from 'node:timers/promises';",
      'engine/ may not import node:timers/promises',
    ],
    ['domain/a.ts', "import { connect } from 'node:net';", 'domain/ may not import node:net'],
    ['domain/a.ts', "import { x } from './b';", 'imports ./b without its ending'],
    ['engine/a.ts', 'const t = Date.now();', 'Date.now'],
    ['engine/a.ts', 'const t = new Date();', 'new Date()'],
    ['plans/a.ts', 'const r = Math.random;', 'Math.random'],
    ['engine/a.ts', 'globalThis.setTimeout(f, 1);', 'setTimeout'],
    ['engine/a.ts', 'const later = setInterval;', 'setInterval'],
    ['attic/a.ts', '', 'there is no room called attic'],
  ])('finds in %s: %s', (path, text, what) => {
    expect(found(path, `// first line\n${text}`).map((line) => line.replace(/^src\/\S+:\d+: /, ''))).toContain(what);
  });

  it('says in which file and line', () => {
    expect(found('engine/a.ts', '\n\nconst t = Date.now();')).toEqual(['src/engine/a.ts:3: Date.now']);
  });

  it.each([
    ['http/a.ts', "import type { EngineApi } from '../engine/api.js';"],
    ['http/a.ts', "import { type EngineApi } from '../engine/api.js';"],
    ['http/a.ts', "export type { EngineApi } from '../engine/api.js';"],
    ['http/routes/a.ts', "import { x } from '../reply.js'; import { y } from '../../domain/errors.js';"],
    ['backends/embedded/a.ts', "import Database from 'better-sqlite3'; import { x } from '../../store/sql.js';"],
    ['main.ts', "import { x } from './http/app.js'; import { y } from './engine/z.js'; setTimeout(f, 1);"],
    ['compose.ts', "import type { FastifyInstance } from 'fastify';"],
    ['domain/a.ts', "import { isIP } from 'node:net'; import { getDomain } from 'tldts'; const d = new Date(0);"],
    ['engine/a.ts', "// Date.now() is not for us\nconst text = 'setTimeout'; clock.setTimeout(f);"],
    ['fetching/a.ts', "import { request } from 'undici'; const t = Date.now();"],
  ])('lets pass in %s: %s', (path, text) => {
    expect(found(path, text)).toEqual([]);
  });
});
