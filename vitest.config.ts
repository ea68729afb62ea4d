import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take minutes: begun last, they would run alone at the end. */
const LONGEST_FIRST = ['/test/cluster/', '/test/simulation/', '/test/crashes/', '/test/console/', '/test/api/'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST_FIRST.findIndex((folder) => moduleId.includes(folder));
      return place < 0 ? LONGEST_FIRST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * Files whose tests leave nothing behind in their process: it reads the program once for all of them. The others start servers,
 * processes or browsers, or change what the whole process has, and get a process each.
 */
const SHARED = [
  'src/**/*.spec.ts',
  'demo-index/**/*.spec.ts',
  'bench/**/*.spec.ts',
  'test/{docs,fuzz,scenarios,simulation}/**/*.spec.ts',
];
const ALONE = ['src/adapters/threads/**/*.spec.ts', 'src/cli/**/*.spec.ts'];

/** `without`: files to leave out. */
export const configuration = (without: readonly string[] = []): ViteUserConfig => ({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    // Limits are for what hangs: a busy machine keeps a test waiting, and must not make it fail.
    testTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 180_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['./test/support/program-setup.ts', './test/support/postgres-setup.ts'],
    execArgv: ['--import', './test/support/register-typescript.mjs'],
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.spec.ts', ...ALONE],
          exclude: [
            'test/engines/**',
            'test/postgresql/**',
            'test/rendering/applications.spec.ts',
            'node_modules/**',
            ...SHARED.filter((files) => files.startsWith('test/')),
            ...without,
          ],
        },
      },
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: SHARED, exclude: ['node_modules/**', ...ALONE, ...without] },
      },
    ],
  },
});

export default defineConfig(configuration());
