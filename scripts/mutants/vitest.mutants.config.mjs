// The project's configuration of Vitest for the copy.
import original from './vitest.original.config.js';

const config = typeof original === 'function' ? await original({ command: 'serve', mode: 'test' }) : original;

export default {
  ...config,
  test: { ...config.test, setupFiles: [...(config.test.setupFiles ?? []), './test/support/mutant-place.mjs'] },
};
