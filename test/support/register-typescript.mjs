// `node --import` this to run a program of this repository from its sources: Node strips the types itself, what is left is
// to find the .ts file where an import (or the start of a thread) says .js, and to compile what is
// more than types: decorators and parameter properties. Threads of the program are those of the built one where that is up to date.
// Vitest imports spec files and sources with it, too (vitest.config.ts).
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const DECORATOR = /^\s*@[A-Z]\w*\(/m;
const PARAMETER_PROPERTY = /\bconstructor\([^)]*\b(?:private|protected|public|readonly) /;

const program = process.env.CRAWLWAY_TEST_PROGRAM;
const FUZZ_FOR_MINUTES = new URL('fuzz-for-minutes.ts', import.meta.url).href;
const isFuzzing = process.env.CRAWLWAY_FUZZ_MINUTES !== undefined;

/** The thread of the built program of the same name as one of the sources. */
function builtThread(specifier) {
  if (!program || !/^file:.*\/src\/.*\.thread\.js$/.test(specifier)) return undefined;
  const built = join(program, specifier.slice(specifier.lastIndexOf('/') + 1));
  return existsSync(built) ? pathToFileURL(built).href : undefined;
}

registerHooks({
  resolve(specifier, context, next) {
    if (isFuzzing && specifier === 'fast-check') return next(FUZZ_FOR_MINUTES, context);
    const thread = builtThread(specifier);
    if (thread) return next(thread, context);
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^(?:\.{1,2}\/|file:).*\.js$/.test(specifier)) throw error;
      return next(`${specifier.slice(0, -3)}.ts`, context);
    }
  },
  load(url, context, next) {
    // Vitest adds a query to the URL of a spec file.
    if (!/\.ts(?:\?|$)/.test(url) || url.includes('/node_modules/')) return next(url, context);
    const source = readFileSync(fileURLToPath(url), 'utf8');
    if (!DECORATOR.test(source) && !PARAMETER_PROPERTY.test(source)) return next(url, context);
    return { format: 'module', source: compile(source, url), shortCircuit: true };
  },
});

/** With a source map, so that a line of a stack is that of the source (`--enable-source-maps`). */
function compile(source, url) {
  const { code } = require('@swc/core').transformSync(source, {
    filename: fileURLToPath(url),
    sourceMaps: 'inline',
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'es6' },
  });
  return code;
}
