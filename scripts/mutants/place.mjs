// Vitest's setup file in the copy: says which spec file and test runs, for the mutants that it reaches.
import { relative } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';

const file = relative(process.cwd(), expect.getState().testPath ?? '');
const outside = `${file}\t`;
globalThis.mutantPlace = { name: outside };
// Threads and other processes that a test starts inherit it.
process.env.CRAWLWAY_MUTANT_PLACE = outside;

beforeEach(({ task }) => {
  globalThis.mutantPlace = { name: `${outside}${task.id}` };
});
afterEach(() => {
  globalThis.mutantPlace = { name: outside };
});
