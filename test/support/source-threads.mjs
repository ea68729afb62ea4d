/**
 * Lets threads and child processes that a test starts run from the TypeScript sources: Node strips types by itself, but
 * looks for the `.js` file that an import names. Registered for every test process by vitest.config.ts.
 */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (!specifier.endsWith('.js') || !/^(?:\.{1,2}\/|file:)/.test(specifier)) return nextResolve(specifier, context);
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    const compiled = new URL(specifier, context.parentURL);
    const useSource = !existsSync(fileURLToPath(compiled)) && existsSync(fileURLToPath(source));
    return nextResolve(useSource ? source.href : specifier, context);
  },
});
