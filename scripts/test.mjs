// Runs the named suites (scripts/suites.mjs; `static` for the checks that run no tests, `all` for everything) and prints a line for
// each check and project, the tests that were left out, and a table of wall-clock and processor time. Without a name: `gate`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkPackages } from './packages.mjs';
import { checkSizes } from './sizes.mjs';
import { SUITES } from './suites.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), 'crawlway-test-'));
/** Number of checks of the gate that run beside each other: one more than the smallest machine has cores, because each one waits at times. */
const BESIDE = 3;
const IS_SMALL = availableParallelism() < 2 * BESIDE;
/** Processes with tests of each project in the gate. One has read the program only once, which takes seconds. */
const WORKERS = IS_SMALL ? 1 : 2;
/** Each checker of types reads the declarations again that it needs. */
const CHECKERS = IS_SMALL ? ['--singleThreaded'] : [];

/**
 * Runs a script of Node. The shell that starts it writes down the processor time that it and all its descendants have taken; of
 * processes that outlive the one that started them, a line each is added (test/support/postgres-server.ts).
 *
 * @param {(chunk: Buffer) => void} [onOutput] receives what it prints, which is shown otherwise
 */
async function runNode(args, env = {}, onOutput = undefined) {
  const [times, moreTimes] = ['times', 'more'].map((name) => join(mkdtempSync(join(scratch, 'run-')), name));
  const command = [process.execPath, ...args];
  if (process.platform !== 'win32') command.unshift('sh', '-c', '"$@"; status=$?; times >"$0"; exit $status', times);
  const child = spawn(command[0], command.slice(1), {
    cwd: root,
    env: { ...process.env, CRAWLWAY_TEST_TIMES: moreTimes, ...env },
    stdio: onOutput ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onOutput);
  const closed = once(child, 'close');
  const [status] = await once(child, 'exit');
  // A process that a test has left behind would keep the streams open.
  await Promise.race([closed, setTimeout(1_000)]);
  const own = existsSync(times) ? readFileSync(times, 'utf8').split('\n')[1] : '';
  const seconds = [...own.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
  const more = existsSync(moreTimes) ? readFileSync(moreTimes, 'utf8').trim().split('\n').map(Number) : [];
  return { status, cpuSeconds: [...seconds, ...more].reduce((sum, one) => sum + one, 0) };
}

/** Runs a script of Node; its output is shown only if it fails. */
async function runTool(file, ...args) {
  let output = '';
  const { status, cpuSeconds } = await runNode(
    [join(root, file), ...args],
    { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    (chunk) => {
      output += chunk;
    },
  );
  return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, output, cpuSeconds };
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

/** Runs the tests of a project. They print their progress, because some take minutes; beside others, a line for each file. */
async function runProject(project, env, beside) {
  const report = join(scratch, `${project}.json`);
  rmSync(report, { force: true });
  const { cpuSeconds } = await runNode(
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      `--project=${project}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...(beside ? [`--maxWorkers=${WORKERS}`] : []),
    ],
    env,
    beside ? (chunk) => process.stdout.write(chunk) : undefined,
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
  {
    name: 'lint and format',
    run: () => runTool('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
  },
  { name: 'types', run: () => runTool('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', ...CHECKERS) },
  { name: 'console types', run: () => runTool('node_modules/typescript/bin/tsc', '-p', 'console/tsconfig.json') },
  {
    name: 'architecture',
    run: () =>
      runTool(
        'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
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
  { name: 'API description', run: () => runTool('node_modules/@redocly/cli/bin/cli.js', 'lint', 'openapi.yaml') },
];

const BUILD = { name: 'build', run: () => runTool('scripts/launch.mjs', 'build') };

/** The projects of the gate run beside each other; those of other suites have the machine to themselves. */
const projectsOf = (suite) =>
  SUITES[suite].projects.map((project) => ({
    name: suite === 'gate' ? project : suite,
    run: () => runProject(project, SUITES[suite].env, suite === 'gate'),
  }));

const NOT_BUILT = { passed: 0, failed: 1, output: 'not run, because the build failed' };

const rows = [];
/** Runs checks in their order, the given number beside each other. */
async function run(checks, beside = 1) {
  const waiting = [...checks];
  const runNext = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) await runCheck(check);
  };
  await Promise.all(Array.from({ length: beside }, runNext));
}

async function runCheck(check) {
  const mayRun = (await check.after) ?? true;
  const started = Date.now();
  const result = mayRun ? await check.run() : NOT_BUILT;
  const seconds = (Date.now() - started) / 1000;
  rows.push({ name: check.name, seconds, ...result });
  console.log(
    `${result.failed === 0 ? 'ok  ' : 'FAIL'} ${check.name} (${result.passed} passed, ${result.failed} failed, ${formatSeconds(seconds)} s, CPU ${formatSeconds(result.cpuSeconds)} s)`,
  );
  if (result.failed > 0 && result.output) console.log(result.output.trimEnd().replace(/^/gm, '     '));
  for (const note of result.notes ?? []) console.log(`     ${note}`);
}

/** Its tests start processes and threads of the built program. */
async function runGate() {
  const built = Promise.withResolvers();
  const build = {
    ...BUILD,
    run: async () => {
      const result = await BUILD.run();
      built.resolve(result.failed === 0);
      return result;
    },
  };
  const projects = projectsOf('gate').map((project) => ({ ...project, after: built.promise }));
  await run([build, ...STATIC, ...projects], BESIDE);
}

const suite = process.argv[2] ?? 'gate';
const began = Date.now();
if (suite === 'static') await run(STATIC, 2);
else if (suite === 'gate' || suite === 'all') await runGate();
else await run([BUILD]);
const isBuilt = !rows.some(({ name, failed }) => name === BUILD.name && failed > 0);
const others = suite === 'all' ? Object.keys(SUITES) : [suite];
for (const name of isBuilt ? others : []) if (name in SUITES && name !== 'gate') await run(projectsOf(name));
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
line('total', formatSeconds((Date.now() - began) / 1000), formatSeconds(total('cpuSeconds')));
for (const { name, failed: count } of rows) if (count > 0) console.log(`failed: ${name}`);
console.log(`${total('passed')} passed, ${failed} failed, ${leftOut.length} left out`);
process.exit(failed === 0 ? 0 : 1);
