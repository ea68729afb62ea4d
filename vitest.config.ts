// Global setup files are imported in this process.
import './test/support/register-typescript.mjs';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/** Tests of several processes or of crashes that `npm test` runs; the others of their kind are in the suite `machine`. */
const SMOKE = [
  'test/cluster/rule-files-reach-every-node.spec.ts',
  'test/crashes/killed-server.spec.ts',
  'test/installed-package.spec.ts',
];
/** These change what the whole process has, or start so many threads and processes that each gets a process of its own. */
const PROCESSES = [
  'src/adapters/threads/**/*.spec.ts',
  'src/cli/**/*.spec.ts',
  'test/api/{changed-secrets,server-process}.spec.ts',
  'test/docs/plugins.spec.ts',
  'test/*.spec.ts',
];
/** Tests that need PostgreSQL, and those that the suite `postgresql` repeats on it (`onPostgres` in test/support/postgres.ts). */
const ONLY_POSTGRESQL = [
  'src/adapters/storage/postgres/**/*.spec.ts',
  'src/adapters/storage/cluster/{command-queue,distribution,postgres-partitions}.spec.ts',
  'src/adapters/storage/shared/transfer.spec.ts',
  'src/adapters/push/postgresql/*.spec.ts',
  'test/api/postgres.spec.ts',
];
const ALSO_POSTGRESQL = [
  'src/adapters/storage/{shared,migrations}/**/*.spec.ts',
  'src/adapters/push/unsendable-order.spec.ts',
  'src/server/{security/key-ring,sign-in/console-sessions}.spec.ts',
  'test/fuzz/{operator-input,uploads}.spec.ts',
];
const MACHINE = [
  'test/{cluster,crashes,processes,rendering}/**/*.spec.ts',
  'test/launcher.spec.ts',
  'test/docs/how-tos.spec.ts',
];
const ENGINES = ['test/engines/**/*.spec.ts', 'test/rendering/applications.spec.ts'];

/** Scenarios that the suite `worlds` repeats with more and larger sites. */
const MORE_SITES = ['test/scenarios/deletions/change-guard.spec.ts'];
const HAS_TIME = process.env['CRAWLWAY_TEST_WORLDS'] === 'all';

const project = (
  name: string,
  include: readonly string[],
  { without = [], isolate = true }: { without?: readonly string[]; isolate?: boolean } = {},
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, isolate, include: [...include], exclude: ['node_modules/**', ...without] },
});

/** With `CRAWLWAY_FUZZ_MINUTES`, every property runs for so long, instead of for a fixed number of inputs (register-typescript.mjs). */
const FUZZING = process.env['CRAWLWAY_FUZZ_MINUTES'] !== undefined;
const ON_POSTGRES = process.env['CRAWLWAY_TEST_DATABASE'] === 'postgres';
/**
 * Limits are for what hangs: a busy machine keeps a test waiting, and must not make it fail. On PostgreSQL, each call of the store
 * is a round trip, and there are thousands in a story. No test has a limit of its own.
 */
const LIMIT_MS = FUZZING ? 36_000_000 : ON_POSTGRES ? 900_000 : 300_000;
/** Scenarios that ask a store for nothing of their own: what they tell is decided by a page or by the configuration alone. */
const SAME_ON_ANY_STORE = [
  'test/moving-in/**',
  'test/scenarios/reference-systems/{exalead-cloudview,fdse,mnogosearch,omnifind,velocity}.spec.ts',
  'test/scenarios/content/{document-*,hostile-documents,files-within-documents,external-extractors,mislabelled-bodies}.spec.ts',
  'test/scenarios/content/{selectors-and-fields,stated-and-derived-content,form-and-redaction,failing-plug-ins}.spec.ts',
  'test/scenarios/errors/error-codes.spec.ts',
  'test/scenarios/hosts/quotas.spec.ts',
  'test/scenarios/logins/{credentials-stay-on-their-host,digest-and-token-logins,secrets-per-server,unusual-forms}.spec.ts',
  'test/scenarios/monitoring/{headline-of-a-url,log}.spec.ts',
  'test/scenarios/security/{endless-answers,output-of-a-page,private-addresses-and-secrets}.spec.ts',
];

/** Which suite runs which projects: scripts/suites.mjs. Projects that are not isolated read the program once for all of their files. */
export default defineConfig({
  test: {
    update: 'none', // a committed file that is missing is a failure, not written; `-u` writes
    // Node imports the sources itself (test/support/register-typescript.mjs): nothing is transformed, and modules are bound directly.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: 0.8 * LIMIT_MS } }, // a wait has no limit of its own: on a busy machine, everything takes long
    maxWorkers: 2,
    globalSetup: ['./test/support/program-setup.ts', './test/support/postgres-setup.ts'],
    execArgv: ['--enable-source-maps', '--import', './test/support/register-typescript.mjs'],
    projects: [
      project('units', ['{src,import,client,demo-index}/**/*.spec.ts', 'test/{docs,fuzz,console/units}/**/*.spec.ts'], {
        without: [...PROCESSES, ...MACHINE, ...ONLY_POSTGRESQL],
        isolate: false,
      }),
      project('scenarios', ['test/{scenarios,moving-in}/**/*.spec.ts'], {
        without: ON_POSTGRES ? SAME_ON_ANY_STORE : [],
        isolate: false,
      }),
      project('api', ['test/api/**/*.spec.ts'], { without: [...PROCESSES, ...ONLY_POSTGRESQL], isolate: false }),
      project('processes', [...PROCESSES, ...SMOKE], { without: ['test/launcher.spec.ts'] }),
      project('worlds', ['test/simulation/**/*.spec.ts', ...(HAS_TIME ? MORE_SITES : [])], { isolate: false }),
      project('postgresql', [...ONLY_POSTGRESQL, ...ALSO_POSTGRESQL], { isolate: false }),
      project('machine', MACHINE, { without: [...SMOKE, ...ENGINES] }),
      project('growth', ['test/growth/**/*.spec.ts']),
      project('description', ['test/description/**/*.spec.ts']),
      project('console', ['test/console/*.spec.ts']),
      project('engines', ENGINES),
    ],
  },
});
