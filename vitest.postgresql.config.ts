import { defineConfig } from 'vitest/config';

/** Every scenario once more, on PostgreSQL: `npm run test:postgresql`. */
export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    include: ['test/postgresql/**/*.spec.ts'],
    testTimeout: 300_000,
    // A busy machine keeps a test waiting, and must not make it fail.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 300_000,
    maxWorkers: 2,
    globalSetup: ['./test/support/program-setup.ts', './test/support/postgres-setup.ts'],
    execArgv: ['--import', './test/support/register-typescript.mjs'],
  },
});
