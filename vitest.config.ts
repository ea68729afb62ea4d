import { defineConfig } from 'vitest/config';

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    include: ['src/**/*.spec.ts', 'index/**/*.spec.ts', 'test/**/*.spec.ts', 'bench/**/*.spec.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    globalSetup: './test/support/postgres-setup.ts',
    execArgv: ['--import', './test/support/register-typescript.mjs'],
  },
});
