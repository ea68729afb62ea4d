import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { builtProgram } from './crawlway-command.js';

/** Vitest's global setup, for what all its processes and theirs inherit. */
export default function setup({ config }: TestProject): void {
  // Is the built program up to date? Its processes and threads start in a third of the time of the sources'. Sources change under a
  // watching run.
  process.env['CRAWLWAY_TEST_PROGRAM'] = config.watch ? '' : builtProgram();
  // Hundreds of processes read the same packages: compiled code that is kept, as users have it, is a fifth of all processor time.
  process.env['NODE_COMPILE_CACHE'] ??= join(PROJECT_ROOT, 'dist', '.compile-cache');
}
