// `node --import` this to run a program of this repository from its sources: Node strips the types itself, what is left is
// to find the .ts file where an import (or the start of a thread) says .js, and to compile decorators.
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const DECORATOR = /^\s*@[A-Z]\w*\(/m;

registerHooks({
  resolve(specifier, context, next) {
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
    return DECORATOR.test(source)
      ? { format: 'module', source: compiled(source), shortCircuit: true }
      : next(url, context);
  },
});

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
