// Runs every check in order and prints a line for each, then the tests that were left out and `N passed, N failed, N
// left out`. With `static`, it runs only the checks that need no test run; with `fast`, only the tests of
// vitest.fast.config.ts; with `engines`, only those against third-party engines; with `postgresql`, only the scenarios
// on PostgreSQL.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackages } from './packages.mjs';
import { measure } from './sizes.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const suite = process.argv[2];
const scratch = mkdtempSync(join(tmpdir(), 'crawlway-test-'));

/** Runs a tool from node_modules; its output is shown only if it fails. */
function runTool(file, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', file), ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, output: `${stdout}${stderr}` };
}

function runPackageCheck() {
  const faults = checkPackages(root);
  return { passed: faults.length === 0 ? 1 : 0, failed: faults.length === 0 ? 0 : 1, output: faults.join('\n') };
}

function reportSizes() {
  return {
    passed: 1,
    failed: 0,
    notes: ['src', 'demo-index', 'console/src'].flatMap((folder) => measure(root, folder)),
  };
}

function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/launch.mjs'), 'build'], {
    cwd: root,
    stdio: 'inherit',
  });
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, output: '' };
}

/**
 * Runs unit, scenario, API and end-to-end tests. They print their progress, because a run takes minutes. If only a few
 * files failed, they are run once more without other tests in parallel: tests that pass then are reported as unstable,
 * which is a fault of the test or worse; tests that fail again are reported as failed.
 */
function runTests(...options) {
  const first = runVitest('vitest.json', options);
  if (first.failed === 0 || first.failedFiles.length === 0 || first.failedFiles.length > MAX_RETRIED_FILES)
    return first;
  console.log(`\nrunning the failed files again on their own: ${first.failedFiles.join(' ')}`);
  const second = runVitest('vitest-again.json', [...options, '--maxWorkers=1', ...first.failedFiles]);
  const unstable = first.failures
    .filter((failure) => !second.failures?.includes(failure))
    .map((failure) => `UNSTABLE, failed among other tests but passed on its own: ${failure}`);
  return {
    passed: first.passed + first.failed - second.failed,
    failed: second.failed,
    output: second.output,
    notes: unstable,
    leftOut: first.leftOut,
  };
}

const MAX_RETRIED_FILES = 5;

function runVitest(reportName, options) {
  const report = join(scratch, reportName);
  spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...options,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { cwd: root, stdio: 'inherit' },
  );
  if (!existsSync(report))
    return { passed: 0, failed: 1, failedFiles: [], output: 'vitest exited without writing a report' };
  return summarize(JSON.parse(readFileSync(report, 'utf8')));
}

function summarize(report) {
  const all = report.testResults.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })));
  const filterByStatus = (status) => all.filter((test) => test.status === status);
  const formatName = (test) => `${relative(root, test.file)}: ${test.fullName}`;
  // A file that fails before its first test has no failed tests to count.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((t) => t.status === 'failed'),
  );
  const left = all.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  const failures = [
    ...filterByStatus('failed').map((test) => formatName(test)),
    ...broken.map((file) => `${relative(root, file.name)} did not run`),
  ];
  return {
    passed: filterByStatus('passed').length,
    failed: failures.length,
    failures,
    failedFiles: report.testResults
      .filter(({ status }) => status === 'failed')
      .map(({ name: file }) => relative(root, file)),
    output: [
      ...filterByStatus('failed').map((test) => `failed: ${formatName(test)}`),
      ...broken.map((file) => `failed to run: ${relative(root, file.name)}\n${file.message}`),
    ].join('\n'),
    leftOut: left.map(describeSkipped),
  };
}

/** Names the suite or test whose name says why it was left out (test/support/left-out.ts). */
const describeSkipped = ({ file, ancestorTitles, title, fullName }) =>
  `${relative(root, file)}: ${[...ancestorTitles, title].find((one) => one.includes('(left out: ')) ?? fullName}`;

/** Tests whose requirements .ci/run can install must not be left out there. */
const isRequired = (name) =>
  process.env.CRAWLWAY_TEST_COMPLETE && /\(left out: .*(?:apt-get install|\.ci\/run)/.test(name);

const checks = [
  { name: 'lint and format', run: () => runTool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings') },
  { name: 'types', run: () => runTool('typescript/bin/tsc', '-p', 'tsconfig.json') },
  {
    name: 'console types',
    needs: 'console/tsconfig.json',
    run: () => runTool('typescript/bin/tsc', '-p', 'console/tsconfig.json'),
  },
  {
    name: 'architecture',
    run: () =>
      runTool(
        'dependency-cruiser/bin/dependency-cruiser.mjs',
        'src',
        'client',
        'demo-index',
        '--config',
        '.dependency-cruiser.cjs',
      ),
  },
  { name: 'file and function sizes', run: reportSizes },
  { name: 'packages: integrity, licences, install scripts', run: runPackageCheck },
  { name: 'API description', run: () => runTool('@redocly/cli/bin/cli.js', 'lint', 'openapi.yaml') },
  { name: 'build', needsTests: true, run: build },
  { name: 'tests', needsTests: true, run: () => runTests() },
];
const suites = {
  static: checks.filter(({ needsTests }) => !needsTests),
  fast: [{ name: 'fast tests', run: () => runTests('--config', 'vitest.fast.config.ts') }],
  engines: [{ name: 'tests against engines', run: () => runTests('--config', 'vitest.engines.config.ts') }],
  postgresql: [{ name: 'scenarios on PostgreSQL', run: () => runTests('--config', 'vitest.postgresql.config.ts') }],
};

let passed = 0;
let failed = 0;
const leftOut = [];
for (const check of suites[suite] ?? checks) {
  if (check.needs && !existsSync(join(root, check.needs))) continue;
  const started = Date.now();
  const result = check.run();
  passed += result.passed;
  failed += result.failed;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `${result.failed === 0 ? 'ok  ' : 'FAIL'} ${check.name} (${result.passed} passed, ${result.failed} failed, ${seconds} s)`,
  );
  if (result.failed > 0 && result.output) console.log(result.output.trimEnd().replace(/^/gm, '     '));
  for (const note of result.notes ?? []) console.log(`     ${note}`);
  leftOut.push(...(result.leftOut ?? []));
}
rmSync(scratch, { recursive: true, force: true });
for (const name of new Set(leftOut)) {
  const tests = leftOut.filter((one) => one === name).length;
  console.log(`${isRequired(name) ? 'FAIL ' : ''}left out: ${name}, ${tests} ${tests === 1 ? 'test' : 'tests'}`);
  if (isRequired(name)) failed++;
}
console.log(`${passed} passed, ${failed} failed, ${leftOut.length} left out`);
process.exit(failed === 0 ? 0 : 1);
