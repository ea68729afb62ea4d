import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Every property of the files named, for minutes instead of a fixed number of inputs:
 * `CRAWLWAY_FUZZ_MINUTES=20 npx vitest run --config vitest.fuzz.config.ts [FILE …]`.
 */
export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { alias: { 'fast-check': fileURLToPath(new URL('test/support/fuzz-for-minutes.ts', import.meta.url)) } },
  test: {
    include: ['src/**/*.spec.ts', 'demo-index/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: ['test/engines/**', 'test/postgresql/**', 'node_modules/**'],
    testTimeout: 36_000_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    globalSetup: './test/support/postgres-setup.ts',
    execArgv: ['--import', './test/support/register-typescript.mjs'],
  },
});
