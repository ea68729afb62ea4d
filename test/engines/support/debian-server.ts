/** Servers from Debian's packages, each as a process of a test's own on this machine, with a folder for its files. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { findFreePort } from '../../support/free-port.js';

/** The first of these files that is not there; undefined: all are. */
export const firstMissing = (files: readonly string[]): string | undefined => files.find((file) => !existsSync(file));

export interface DebianServer {
  readonly port: number;
  /** Where its files are. */
  readonly folder: string;
  write(name: string, text: string): void;
  read(name: string): string;
  signal(name: NodeJS.Signals): void;
}

interface Start {
  readonly program: string;
  readonly args: (server: Pick<DebianServer, 'port' | 'folder'>) => readonly string[];
  readonly files: (server: Pick<DebianServer, 'port' | 'folder'>) => Readonly<Record<string, string>>;
  readonly environment?: (server: Pick<DebianServer, 'folder'>) => Readonly<Record<string, string>>;
  /** Before it starts, with its files in place. */
  readonly prepare?: (server: Pick<DebianServer, 'folder'>) => void;
  /** By default a free one. */
  readonly usesPort?: number;
  /** By default 20 s. */
  readonly startsWithinMs?: number;
  /** Receives what ends it; by default, that is done at the end of the test. */
  readonly whenDone?: (end: () => Promise<void>) => void;
}

/** Its folder is taken away when it ends. */
export async function startDebianServer({
  program,
  args,
  files,
  environment,
  prepare,
  usesPort,
  startsWithinMs = 20_000,
  whenDone = onTestFinished,
}: Start): Promise<DebianServer> {
  const port = usesPort ?? (await findFreePort());
  const folder = mkdtempSync(join(tmpdir(), 'crawlway-server-'));
  // As root it changes to a user of its own, who has to read them.
  chmodSync(folder, 0o777);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files({ port, folder }))) write(name, text);
  prepare?.({ folder });
  const env = { ...process.env, ...environment?.({ folder }) };
  const child = spawn(program, args({ port, folder }), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  whenDone(async () => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  });
  await vi.waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`${program} has ended: ${said}`);
      await reached(port);
    },
    { timeout: startsWithinMs, interval: 50 },
  );
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  return { port, folder, write, read, signal: (name) => void child.kill(name) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  const stuck = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await end;
  clearTimeout(stuck);
}

async function reached(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/** A line of a password file, as Apache's htpasswd writes it. */
export const passwordLine = (user: string, password: string): string =>
  execFileSync('htpasswd', ['-nbm', user, password], { encoding: 'utf8' }).trim();
