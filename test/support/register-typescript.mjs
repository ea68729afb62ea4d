// `node --import` this to run a program of this repository from its sources: Node strips the types itself, what is left is
// to find the .ts file where an import (or the start of a thread) says .js, and to compile what is
// more than types: decorators and parameter properties. Threads of the program are those of the built one where that is up to date.
// Vitest imports spec files and sources with it, too (vitest.config.ts).
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';

const require = createRequire(import.meta.url);
const DECORATOR = /^\s*@[A-Z]\w*\(/m;
const PARAMETER_PROPERTY = /\bconstructor\([^)]*\b(?:private|protected|public|readonly) /;

/** Compiled sources; a build empties the folder (scripts/launch.mjs). */
const COMPILED = fileURLToPath(new URL('../../dist/.compile-cache/sources/', import.meta.url));

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
    if (!/^(?:\.{1,2}\/|file:).*\.js$/.test(specifier) || /\/node_modules\//.test(context.parentURL))
      return next(specifier, context);
    try {
      return next(`${specifier.slice(0, -3)}.ts`, context); // most are, and an error takes long to make
    } catch {
      return next(specifier, context);
    }
  },
  load(url, context, next) {
    // Vitest adds a query to the URL of a spec file.
    if (!/\.ts(?:\?|$)/.test(url) || url.includes('/node_modules/')) return next(url, context);
    const source = readFileSync(fileURLToPath(url), 'utf8');
    if (!DECORATOR.test(source) && !PARAMETER_PROPERTY.test(source)) return next(url, context);
    return { format: 'module', source: compileOnce(source, url), shortCircuit: true };
  },
});

/** Dozens of processes with tests start from the same sources, and the compiler takes a fifth of that time. */
function compileOnce(source, url) {
  const file = join(COMPILED, `${hash('sha1', url + source)}.js`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const code = compile(source, url);
  try {
    mkdirSync(COMPILED, { recursive: true });
    writeFileSync(`${file}.${process.pid}.${threadId}`, code);
    renameSync(`${file}.${process.pid}.${threadId}`, file);
  } catch {
    // The next process compiles it again.
  }
  return code;
}

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
