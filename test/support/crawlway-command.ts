import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT_ROOT } from '../../src/server/project-root.js';

const REGISTER = pathToFileURL(join(PROJECT_ROOT, 'test/support/register-typescript.mjs')).href;

/** Arguments of Node for the `crawlway` command: the built program if it is up to date, otherwise the sources. */
export function crawlwayCommand(): string[] {
  const program = process.env['CRAWLWAY_TEST_PROGRAM'] ?? builtProgram();
  return program ? [join(program, 'crawlway.js')] : ['--import', REGISTER, join(PROJECT_ROOT, 'src/cli/crawlway.ts')];
}

/** The folder of the built program if it is as new as the sources (`npm test` builds first), which start more slowly; otherwise ''. */
export const builtProgram = (): string => (isBuiltFrom('src', 'demo-index') ? join(PROJECT_ROOT, 'dist/program') : '');

/** For benchmarks, which run from the build: an outdated build would measure other code or start the slower sources. */
export function refuseStaleBuild(): void {
  if (import.meta.filename.endsWith('.js') && !isBuiltFrom('src', 'demo-index', 'client', 'bench', 'test/support'))
    throw new Error('dist/ is older than the sources it was built from: npm run build');
}

function isBuiltFrom(...folders: readonly string[]): boolean {
  const built = statSync(join(PROJECT_ROOT, 'dist/.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = folders.flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => join(PROJECT_ROOT, folder, name)),
  );
  return sources.every((source) => statSync(source).mtimeMs <= built);
}
