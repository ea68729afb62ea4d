import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** Tests that take minutes each: a busy machine keeps them waiting, and must not make them fail. */
export const longTests = (...include: string[]): ViteUserConfig => ({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    include,
    testTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 300_000,
    maxWorkers: 2,
    globalSetup: ['./test/support/program-setup.ts', './test/support/postgres-setup.ts'],
    execArgv: ['--import', './test/support/register-typescript.mjs'],
  },
});

/** Engines of others (OpenSearch …) as real processes, and applications made with frameworks of others: `npm run test:engines`. */
export default defineConfig(longTests('test/engines/**/*.spec.ts', 'test/rendering/applications.spec.ts'));
