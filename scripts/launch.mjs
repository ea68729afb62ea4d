#!/usr/bin/env node
// The entry point of every npm script and of the crawlway command. It is plain JavaScript that old versions of Node can
// parse, because it first has to notice that the Node it runs on is too old.
//
//   1. If Node is older than package.json's engines: download a pinned Node from the npm registry into .runtime/ (or the
//      user's cache, where this folder cannot be written to), once, and continue with it.
//   2. If node_modules is missing or older than the lock file: npm ci.
//   3. If dist/ is older than what it is built from: build.
//   4. Run the task.
//
// An installed package is already built, and npm has installed its dependencies, so steps 2 and 3 are skipped.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const PINNED_NODE = '26.10.0';
/** Folder of compiled code, which is kept for the next start. */
const COMPILED = join(root, 'dist', '.compile-cache');
/** True in a checkout, which has the sources; the npm package does not. */
const isCheckout = existsSync(join(root, 'package-lock.json'));

const print = (text) => process.stderr.write(`crawlway: ${text}\n`);
const fail = (text) => {
  print(text);
  process.exit(1);
};

function isNewEnough(version, minimum) {
  const have = version.split('.').map(Number);
  const want = minimum.split('.').map(Number);
  for (let i = 0; i < 3; i++) if (have[i] !== want[i]) return have[i] > want[i];
  return true;
}

function runNpm(args, env = process.env) {
  const windows = process.platform === 'win32';
  return (
    spawnSync(windows ? 'npm.cmd' : 'npm', args, { cwd: root, stdio: ['ignore', 2, 2], env, shell: windows }).status ===
    0
  );
}

/** The folder for a pinned Node: in this folder, or in the user's cache if this folder belongs to somebody else. */
function findRuntimeFolder() {
  const own = join(root, '.runtime');
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  for (const folder of [own, join(cache, 'crawlway', 'runtime')])
    try {
      mkdirSync(folder, { recursive: true });
      accessSync(folder, constants.W_OK);
      return folder;
    } catch {
      if (existsSync(join(folder, `node-${PINNED_NODE}`))) return folder;
    }
  return fail(
    `Node ${process.versions.node} does not satisfy ${manifest.engines.node}, and a newer one can be stored neither in ${own} nor in ${cache}: install Node ${manifest.engines.node}`,
  );
}

/** Returns the directory of a Node that is new enough, downloaded once as an npm package (npm checks its integrity). */
function getPinnedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = findRuntimeFolder();
  const home = join(folder, `node-${PINNED_NODE}`);
  const bin = join(home, 'node_modules', name, 'bin');
  const binary = join(bin, process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(binary)) {
    print(
      `Node ${process.versions.node} does not satisfy ${manifest.engines.node}; downloading Node ${PINNED_NODE} (about 50 MB, once) into ${folder}`,
    );
    const staging = `${home}.${process.pid}`;
    mkdirSync(staging, { recursive: true });
    writeFileSync(join(staging, 'package.json'), '{"private":true}');
    const installed = runNpm([
      'install',
      '--prefix',
      staging,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `${name}@${PINNED_NODE}`,
    ]);
    if (!installed)
      fail(
        `could not download ${name}@${PINNED_NODE} from the npm registry; install Node ${manifest.engines.node} yourself and try again`,
      );
    const tried = spawnSync(join(staging, 'node_modules', name, 'bin', basename(binary)), ['--version'], {
      encoding: 'utf8',
    });
    if (tried.status !== 0) {
      rmSync(staging, { recursive: true, force: true });
      const reason = (tried.stderr || String(tried.error)).trim();
      const remedy = /libatomic/.test(reason) ? '; on Debian and Ubuntu: apt-get install libatomic1' : '';
      fail(`Node ${PINNED_NODE} does not run here: ${reason}${remedy}`);
    }
    try {
      renameSync(staging, home);
    } catch {
      rmSync(staging, { recursive: true, force: true }); // another process was faster
    }
  }
  return { bin, binary };
}

function findNewestTime(paths, skip = () => false) {
  let latest = 0;
  const visit = (path) => {
    if (skip(path)) return;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    if (stat.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
    else latest = Math.max(latest, stat.mtimeMs);
  };
  for (const path of paths) visit(join(root, path));
  return latest;
}

function ensureInstalled() {
  const marker = statSync(join(root, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  if (marker && marker.mtimeMs >= findNewestTime(['package-lock.json'])) return;
  // npm ci first empties the folder, which a symbolic link would make someone else's folder.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink())
    fail(
      'node_modules is a symbolic link to a folder older than package-lock.json; run npm ci at its target, or remove the link',
    );
  print('installing packages');
  if (!runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'])) fail('npm ci failed; see the messages above');
}

const isBuildInput = (path) => /\.spec\.ts$|[/\\](dist|node_modules|data)$/.test(path);

function run(args, options = {}) {
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', ...options });
  return result.status ?? 1;
}

function ensureBuilt(force = false) {
  const parts = [
    {
      name: 'server',
      inputs: [
        'src',
        'client',
        'import',
        'demo-index',
        'bench',
        'test/support',
        'test/simulation',
        'scripts/bundle.mjs',
        'tsconfig.json',
        'tsconfig.build.json',
        'tsconfig.package.json',
        'package-lock.json',
      ],
      stamp: 'dist/.built',
      // Types are checked by `npm run lint`, together with those of the specs.
      commands: [
        ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck'],
        ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.package.json'],
        ['scripts/bundle.mjs'],
      ],
    },
    {
      name: 'console',
      inputs: ['console', 'client', 'package-lock.json'],
      stamp: 'console/dist/.built',
      commands: [['node_modules/vite/bin/vite.js', 'build', 'console']],
    },
    {
      name: 'documentation',
      inputs: ['docs', 'README.md', 'scripts/docs.mjs', 'console/src/ui/mark.svg', 'package-lock.json'],
      stamp: 'dist/help/.built',
      commands: [['scripts/docs.mjs']],
    },
  ];
  for (const part of parts) {
    const stamp = join(root, part.stamp);
    if (part.name === 'console' && !existsSync(join(root, 'console/vite.config.ts'))) continue;
    const built = statSync(stamp, { throwIfNoEntry: false });
    if (!force && built && built.mtimeMs >= findNewestTime(part.inputs, isBuildInput)) continue;
    print(`building the ${part.name}`);
    const started = new Date();
    // If it were kept across builds, the cache of compiled code would only grow. Other processes may be writing to it.
    if (part.name === 'server') rmSync(COMPILED, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    for (const command of part.commands)
      if (run(command, { stdio: ['ignore', 2, 2] }) !== 0)
        fail(`building the ${part.name} failed; see the messages above`);
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, `${started.toISOString()}\n`);
  }
}

const tasks = {
  start: { built: true, script: 'dist/program/main.js', args: ['start'] },
  // With options: the command line explains them, and what is wrong with them.
  serve: { built: true, script: 'dist/program/crawlway.js', args: ['serve'] },
  crawlway: { built: true, script: 'dist/program/crawlway.js' },
  test: { script: 'scripts/test.mjs' },
  ...Object.fromEntries(
    ['worlds', 'machine', 'growth', 'description', 'console', 'postgresql', 'engines', 'all'].map((suite) => [
      `test:${suite}`,
      { script: 'scripts/test.mjs', args: [suite] },
    ]),
  ),
  'test:mutants': { built: true, script: 'scripts/mutants/main.mjs' },
  build: { force: true },
  package: { force: true, script: 'scripts/package.mjs' },
  lint: { script: 'scripts/test.mjs', args: ['static'] },
  bench: { built: true, script: 'dist/bench/main.js' },
  simulate: { built: true, script: 'dist/test/simulation/main.js' },
  openapi: { built: true, script: 'scripts/openapi.mjs' },
  screenshots: {
    built: true,
    flags: ['--import', join(root, 'test/support/register-typescript.mjs')],
    script: 'test/console/take-screenshots.ts',
  },
};

export function launch(name, args) {
  const task = tasks[name === 'start' && args.length > 0 ? 'serve' : name];
  if (!task) fail(`unknown task ${name}; the tasks are ${Object.keys(tasks).join(', ')}`);
  const minimum = manifest.engines.node.replace(/[^\d.]/g, '');
  if (!isNewEnough(process.versions.node, minimum)) {
    const { bin, binary } = getPinnedNode();
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
    const script = fileURLToPath(import.meta.url);
    forward(binary, [script, name, ...args], env);
    return;
  }
  if (isCheckout) {
    ensureInstalled();
    if (task.built || task.force) ensureBuilt(task.force);
  } else if (!task.script || !existsSync(join(root, task.script)))
    fail(`${name} needs a checkout of the sources; an installed package has only the crawlway command`);
  if (!task.script) process.exit(0);
  const flags = [...RUNTIME_FLAGS, ...(task.flags ?? [])];
  forward(process.execPath, [...flags, join(root, task.script), ...(task.args ?? []), ...args], {
    ...RUNTIME_ENV,
    ...process.env,
  });
}

/**
 * Settings that a process needs before it starts (all measured, see bench/README.md). Allocation arenas and nurseries
 * multiply with threads and cost memory without saving time. Bodies of several megabytes are returned to the system
 * when they are freed, instead of leaving holes. Most of the heap is code and metadata, so collecting it whenever it has
 * grown a little would be a waste: the larger its limit, the more it may grow, here by 80 %. (A flag for that growth, as
 * most others, would make V8 refuse the compiled code that comes with Node.) Name lookups share libuv's threads, and its
 * default four are soon all waiting for name servers that do not respond. Compiled code is kept for the next start.
 */
const RUNTIME_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', '--max-old-space-size=1536'];
const RUNTIME_ENV = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  UV_THREADPOOL_SIZE: '32',
  NODE_COMPILE_CACHE: COMPILED,
};

/** Runs a program in place of this one, with the same streams, signals, exit code and working directory. */
export async function forward(binary, args, env) {
  const { spawn } = await import('node:child_process');
  // The channel carries no data: when it closes, the child knows that this process is gone, even if it was killed.
  const child = spawn(binary, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  child.channel?.unref();
  if (process.channel) process.on('disconnect', () => child.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (env.npm_lifecycle_event) onOrphaned(() => child.kill('SIGTERM'));
  child.on('error', (error) => fail(`cannot run ${binary}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}

/**
 * Runs the action when the parent process ends. npm and npx send signals to the shell in which they run this process,
 * and that shell exits without forwarding them.
 */
function onOrphaned(action) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    action();
  }, 500);
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1])
  launch(process.argv[2], process.argv.slice(3));
