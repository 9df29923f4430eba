import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookHeaders } from '../../src/domain/webhook-signature.js';
import { createTempProject, PROJECT } from '../scripts/temp-project.js';

const NEW = 'whsec_bmV3LXNlY3JldC1vZi10aGUtdGVzdA==';
const OLD = 'whsec_b2xkLXNlY3JldC1vZi10aGUtdGVzdA==';

/**
 * The package as a receiver has it: the real package.json and example, and of `dist` only what the real build makes
 * of webhook.ts. So the example also shows that `gleaner/webhook` needs nothing else, and the build need not be there.
 */
const project = createTempProject();
const tsc = (config: string) =>
  promisify(execFile)(process.execPath, [join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', config], {
    cwd: project.root,
  });
let receiver: ChildProcess;
let url: string;
const printed = { out: [] as string[], err: [] as string[] };

beforeAll(async () => {
  cpSync(join(PROJECT, 'package.json'), join(project.root, 'package.json'));
  cpSync(join(PROJECT, 'examples'), join(project.root, 'examples'), { recursive: true });
  project.write('tsconfig.json', {
    extends: join(PROJECT, 'tsconfig.build.json'),
    compilerOptions: {
      outDir: 'dist',
      tsBuildInfoFile: 'tsbuildinfo',
      typeRoots: [join(PROJECT, 'node_modules/@types')],
    },
    files: [join(PROJECT, 'src/webhook.ts')],
    include: [],
  });
  await tsc('tsconfig.json');
  receiver = spawn(process.execPath, ['examples/webhook-receiver.mjs'], {
    cwd: project.root,
    env: { PATH: process.env.PATH, PORT: '0', WEBHOOK_SECRETS: `${NEW}, ${OLD}` },
  });
  createInterface(receiver.stderr!).on('line', (line) => printed.err.push(line));
  const lines = createInterface(receiver.stdout!).on('line', (line) => printed.out.push(line));
  const [first] = await once(lines, 'line');
  url = first.replace('listening on ', '');
}, 60_000);

afterAll(async () => {
  if (receiver?.exitCode === null) {
    const exit = once(receiver, 'exit');
    receiver.kill('SIGKILL');
    await exit;
  }
  project.remove();
});

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const signed = (
  id: string,
  { body = '{"job_id":"j1"}', timestamp = nowSeconds(), secrets = [NEW], attempt = 1 } = {},
) => ({
  method: 'POST',
  headers: webhookHeaders({ id, timestamp, attempt, event: 'job.completed', body }, secrets),
  body,
});
/** Its lines come through a pipe of their own, perhaps after the answer; but always in their order. */
const told = () => printed.out.slice(1).map((line) => JSON.parse(line));
const post = async (init: RequestInit) => (await fetch(url, init)).status;

describe('the example of a receiver', () => {
  it('is made of the files that receivers need, with types', async () => {
    expect(readdirSync(join(project.root, 'dist'), { recursive: true }).sort()).toEqual([
      'domain',
      'domain/webhook-signature.d.ts',
      'domain/webhook-signature.js',
      'webhook.d.ts',
      'webhook.js',
    ]);
    project.write(
      'user/use.mts',
      `import { verify } from 'gleaner/webhook';
       import type { IncomingMessage } from 'node:http';
       const at = (request: IncomingMessage): Date => verify(request.headers, Buffer.from(''), 'secret').timestamp;
       export const all = [at, verify(new Headers(), '', ['secret']).payload as unknown];`,
    );
    project.write('user/tsconfig.json', {
      compilerOptions: {
        module: 'NodeNext',
        strict: true,
        noEmit: true,
        typeRoots: [join(PROJECT, 'node_modules/@types')],
        types: ['node'],
      },
      files: ['use.mts'],
    });
    await tsc('user/tsconfig.json');
  });

  it('tells of an event once, however often it comes', async () => {
    expect(await post(signed('evt_1'))).toBe(204);
    expect(await post(signed('evt_1', { attempt: 2 }))).toBe(204);
    expect(await post(signed('evt_2', { secrets: [OLD] }))).toBe(204);
    await expect
      .poll(told)
      .toEqual([
        expect.objectContaining({ id: 'evt_1', event: 'job.completed', attempt: 1, payload: { job_id: 'j1' } }),
        expect.objectContaining({ id: 'evt_2' }),
      ]);
  });

  it('refuses what is changed, old, unsigned, too large or not posted, and tells of none of it', async () => {
    const before = told().length;
    expect(await post({ ...signed('evt_3'), body: '{"job_id":"j2"}' })).toBe(400);
    expect(await post(signed('evt_4', { timestamp: nowSeconds() - 301 }))).toBe(400);
    expect(await post({ method: 'POST', body: '{}' })).toBe(400);
    expect(await post(signed('evt_5', { body: JSON.stringify('x'.repeat(16 * 1024 * 1024)) }))).toBe(413);
    expect(await post({ method: 'GET' })).toBe(405);
    // After all of that it still listens, and what was refused may come as it should.
    expect(await post(signed('evt_3'))).toBe(204);
    await expect.poll(() => told().slice(before)).toEqual([expect.objectContaining({ id: 'evt_3' })]);
    const reasons = () => printed.err.map((line) => /\((\w+)\)/.exec(line)?.[1]);
    await expect.poll(reasons).toEqual(['no_match', 'too_old', 'missing_header']);
  });
});
