import { defineConfig } from 'vitest/config';
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

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    include: ['src/**/*.spec.ts', 'demo-index/**/*.spec.ts', 'test/**/*.spec.ts', 'bench/**/*.spec.ts'],
    exclude: ['test/engines/**', 'node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    globalSetup: './test/support/postgres-setup.ts',
    execArgv: ['--import', './test/support/register-typescript.mjs'],
  },
});
