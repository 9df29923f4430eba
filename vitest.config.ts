import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    // At the end everything that came out of the services is looked through for secrets.
    globalSetup: ['test/support/secrecy-run.ts'],
    // Processes, not threads: native modules, signals and process.chdir behave as they do in the service.
    pool: 'forks',
    // Each worker may run a Chromium of its own; more than two at once only makes all of them slow.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default'],
  },
});
