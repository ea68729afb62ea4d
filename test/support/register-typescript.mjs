// `node --import` this to run a program of this repository from its sources: Node strips the types itself, what is left is
// to find the .ts file where an import (or the start of a thread) says .js.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!/^(?:\.{1,2}\/|file:).*\.js$/.test(specifier)) throw error;
      return next(`${specifier.slice(0, -3)}.ts`, context);
    }
  },
});
