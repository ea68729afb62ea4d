import { defineConfig } from 'vitest/config';
import { longTests } from './vitest.engines.config.js';

/** Every scenario once more, on PostgreSQL: `npm run test:postgresql`. */
export default defineConfig(longTests('test/postgresql/**/*.spec.ts'));
