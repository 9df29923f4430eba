import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const support = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** A run of one test that lets this text out, with the same look at its end as ours. */
function runThatSays(text: string): { status: number | null; said: string } {
  const root = mkdtempSync(join(tmpdir(), 'gleaner-planted-run-'));
  try {
    const settings = { globals: true, include: ['*.test.ts'], globalSetup: [support('secrecy-run.ts')] };
    writeFileSync(join(root, 'vitest.config.mjs'), `export default { test: ${JSON.stringify(settings)} };`);
    writeFileSync(
      join(root, 'said.test.ts'),
      `import { keep } from ${JSON.stringify(support('sinks.ts'))};\nit('says', () => keep('log', ${JSON.stringify(text)}));`,
    );
    const { status, stdout, stderr } = spawnSync(process.execPath, [VITEST, 'run', '--root', root], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { status, said: stdout + stderr };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe('a run of the tests', { timeout: 120_000 }, () => {
  it('fails at its end when a secret came out, though every test of it has passed', () => {
    const { status, said } = runThatSays('{"message":"key CANARY-planted-79"}');
    expect(said).toMatch(/1 passed/);
    expect(said).toContain('A secret in a log');
    expect(status).toBe(1);
  });

  it('succeeds when none did', () => {
    const { status, said } = runThatSays('{"message":"nothing to see"}');
    expect(said).toContain('Found: 0.');
    expect(status).toBe(0);
  });
});
