// Runs the named suites (scripts/suites.mjs; `static` for the checks that run no tests, `all` for everything) and prints a line for
// each check and project, the tests that were left out, and a table of wall-clock and processor time. Without a name: `gate`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackages } from './packages.mjs';
import { checkSizes } from './sizes.mjs';
import { SUITES } from './suites.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'crawlway-test-'));
const TIMES = join(scratch, 'times');
/** Seconds of processes that outlive the one that started them, a line each (test/support/postgres-server.ts). */
const MORE_TIMES = join(scratch, 'more-times');

/** Runs a script of Node. The shell that starts it writes down the processor time that it and all its descendants have taken. */
function runNode(args, options) {
  const command = [process.execPath, ...args];
  const result =
    process.platform === 'win32'
      ? spawnSync(command[0], command.slice(1), { cwd: root, ...options })
      : spawnSync('sh', ['-c', '"$@"; status=$?; times >"$0"; exit $status', TIMES, ...command], {
          cwd: root,
          ...options,
        });
  const times = existsSync(TIMES) ? readFileSync(TIMES, 'utf8').split('\n')[1] : '';
  rmSync(TIMES, { force: true });
  const seconds = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  const more = existsSync(MORE_TIMES) ? readFileSync(MORE_TIMES, 'utf8').trim().split('\n').map(Number) : [];
  rmSync(MORE_TIMES, { force: true });
  return { ...result, cpuSeconds: [...seconds, ...more].reduce((sum, one) => sum + one, 0) };
}

/** Runs a tool from node_modules; its output is shown only if it fails. */
function runTool(file, ...args) {
  const { status, stdout, stderr, cpuSeconds } = runNode([join(root, 'node_modules', file), ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, output: `${stdout}${stderr}`, cpuSeconds };
}

function runPackageCheck() {
  const faults = checkPackages(root);
  return { passed: faults.length === 0 ? 1 : 0, failed: faults.length === 0 ? 0 : 1, output: faults.join('\n') };
}

function runSizeCheck() {
  const { rows, faults } = checkSizes(root);
  const passed = faults.length === 0;
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1, notes: rows, output: faults.join('\n') };
}

function build() {
  const { status, cpuSeconds } = runNode([join(root, 'scripts/launch.mjs'), 'build'], { stdio: 'inherit' });
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, cpuSeconds };
}

/** Runs the tests of a project. They print their progress, because some take minutes. */
function runProject(project, env) {
  const report = join(scratch, 'vitest.json');
  rmSync(report, { force: true });
  const { cpuSeconds } = runNode(
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      `--project=${project}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { stdio: 'inherit', env: { ...process.env, CRAWLWAY_TEST_TIMES: MORE_TIMES, ...env } },
  );
  if (!existsSync(report))
    return { passed: 0, failed: 1, output: 'vitest exited without writing a report', cpuSeconds };
  return { ...summarize(JSON.parse(readFileSync(report, 'utf8'))), cpuSeconds };
}

function summarize(report) {
  const all = report.testResults.flatMap((file) => file.assertionResults.map((test) => ({ file: file.name, ...test })));
  const filterByStatus = (status) => all.filter((test) => test.status === status);
  const failed = filterByStatus('failed');
  // A file that fails before its first test has no failed tests to count.
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((t) => t.status === 'failed'),
  );
  const left = all.filter((test) => test.status !== 'passed' && test.status !== 'failed');
  return {
    passed: filterByStatus('passed').length,
    failed: failed.length + broken.length,
    output: [
      ...failed.map((test) => `failed: ${relative(root, test.file)}: ${test.fullName}`),
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

const STATIC = [
  { name: 'lint and format', run: () => runTool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings') },
  { name: 'types', run: () => runTool('typescript/bin/tsc', '-p', 'tsconfig.json') },
  { name: 'console types', run: () => runTool('typescript/bin/tsc', '-p', 'console/tsconfig.json') },
  {
    name: 'architecture',
    run: () =>
      runTool(
        'dependency-cruiser/bin/dependency-cruiser.mjs',
        'src',
        'client',
        'import',
        'demo-index',
        '--config',
        '.dependency-cruiser.cjs',
      ),
  },
  { name: 'sizes', run: runSizeCheck },
  { name: 'packages', run: runPackageCheck },
  { name: 'API description', run: () => runTool('@redocly/cli/bin/cli.js', 'lint', 'openapi.yaml') },
];

const projectsOf = (suite) =>
  SUITES[suite].projects.map((project) => ({
    name: suite === 'gate' ? project : suite,
    run: () => runProject(project, SUITES[suite].env),
  }));

const BUILD = { name: 'build', run: build };
const named = {
  static: STATIC,
  ...Object.fromEntries(Object.keys(SUITES).map((suite) => [suite, [BUILD, ...projectsOf(suite)]])),
  gate: [...STATIC, BUILD, ...projectsOf('gate')],
  all: [...STATIC, BUILD, ...Object.keys(SUITES).flatMap(projectsOf)],
};

const suite = process.argv[2] ?? 'gate';
const rows = [];
for (const check of named[suite]) {
  const started = Date.now();
  const result = check.run();
  rows.push({ name: check.name, seconds: (Date.now() - started) / 1000, ...result });
  const { seconds, cpuSeconds } = rows.at(-1);
  console.log(
    `${result.failed === 0 ? 'ok  ' : 'FAIL'} ${check.name} (${result.passed} passed, ${result.failed} failed, ${formatSeconds(seconds)} s, CPU ${formatSeconds(cpuSeconds)} s)`,
  );
  if (result.failed > 0 && result.output) console.log(result.output.trimEnd().replace(/^/gm, '     '));
  for (const note of result.notes ?? []) console.log(`     ${note}`);
}
rmSync(scratch, { recursive: true, force: true });

const total = (key) => rows.reduce((sum, row) => sum + (row[key] ?? 0), 0);
const leftOut = rows.flatMap((row) => row.leftOut ?? []);
let failed = total('failed');
for (const name of new Set(leftOut)) {
  const tests = leftOut.filter((one) => one === name).length;
  console.log(`${isRequired(name) ? 'FAIL ' : ''}left out: ${name}, ${tests} ${tests === 1 ? 'test' : 'tests'}`);
  if (isRequired(name)) failed++;
}

function formatSeconds(seconds = 0) {
  return seconds.toFixed(1);
}

const line = (name, wall, cpu) => console.log(`${name.padEnd(24)}${wall.padStart(8)}${cpu.padStart(8)}`);
line(`\n${suite}`, 'wall s', 'CPU s');
for (const { name, seconds, cpuSeconds } of rows) line(name, formatSeconds(seconds), formatSeconds(cpuSeconds));
line('total', formatSeconds(total('seconds')), formatSeconds(total('cpuSeconds')));
console.log(`${total('passed')} passed, ${failed} failed, ${leftOut.length} left out`);
process.exit(failed === 0 ? 0 : 1);
