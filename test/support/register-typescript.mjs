// `node --import` this to run a program of this repository from its sources: Node strips the types itself, what is left is
// to find the .ts file where an import (or the start of a thread) says .js, and to compile what is
// more than types: decorators and parameter properties. Threads of the program are those of the built one where that is up to date.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const DECORATOR = /^\s*@[A-Z]\w*\(/m;
const PARAMETER_PROPERTY = /\bconstructor\([^)]*\b(?:private|protected|public|readonly) /;

const program = process.env.CRAWLWAY_TEST_PROGRAM;

/** The thread of the built program of the same name as one of the sources. */
function builtThread(specifier) {
  if (!program || !/^file:.*\/src\/.*\.thread\.js$/.test(specifier)) return undefined;
  const built = join(program, specifier.slice(specifier.lastIndexOf('/') + 1));
  return existsSync(built) ? pathToFileURL(built).href : undefined;
}

registerHooks({
  resolve(specifier, context, next) {
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
    if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
    const source = readFileSync(fileURLToPath(url), 'utf8');
    if (DECORATOR.test(source)) return { format: 'module', source: compiled(source), shortCircuit: true };
    if (PARAMETER_PROPERTY.test(source)) return { format: 'module', source: transformed(source), shortCircuit: true };
    return next(url, context);
  },
});

/** Node's own compiler where there is one: the other, in a thread that ends, has crashed the whole process. */
function transformed(source) {
  try {
    return stripTypeScriptTypes(source, { mode: 'transform' });
  } catch {
    return compiled(source);
  }
}

function compiled(source) {
  const { code } = require('@swc/core').transformSync(source, {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
    module: { type: 'es6' },
  });
  return code;
}
