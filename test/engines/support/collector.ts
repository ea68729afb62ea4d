/** An OpenTelemetry Collector, built once per version of its project from the modules that its `go.mod` names. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { findFreePort } from '../../support/free-port.js';

const PROJECT = join(import.meta.dirname, '..', 'collector');

/** Why these tests are left out; undefined when they run. */
export const collectorIsMissing = (): string | undefined =>
  spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0 ? undefined : 'go is not installed';

/** The first call on a machine takes minutes. */
export async function builtCollector(): Promise<string> {
  const sources = ['main.go', 'go.sum'].map((name) => readFileSync(join(PROJECT, name), 'utf8')).join('');
  const version = createHash('sha256').update(sources).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), 'crawlway-engines');
  const program = join(folder, `collector-${version}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const made = `${program}.${process.pid}`;
  const env = { ...process.env, CGO_ENABLED: '0' };
  await promisify(execFile)('go', ['build', '-o', made, '.'], { cwd: PROJECT, env, maxBuffer: 16 * 1024 * 1024 });
  renameSync(made, program);
  return program;
}

export interface Collector {
  readonly url: string;
  /** What it has printed: all that it has received, in detail. */
  said(): string;
}

/** Ended with the test. */
export async function startCollector(program: string): Promise<Collector> {
  const endpoint = `127.0.0.1:${await findFreePort()}`;
  const pipeline = { receivers: ['otlp'], exporters: ['debug'] };
  const configuration = {
    receivers: { otlp: { protocols: { http: { endpoint } } } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: { telemetry: { metrics: { level: 'none' } }, pipelines: { traces: pipeline, metrics: pipeline } },
  };
  const child = spawn(program, ['--config', `yaml:${JSON.stringify(configuration)}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => (text += more));
  onTestFinished(() => ended(child));
  await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the collector has ended: ${text}`);
      if (!text.includes('Everything is ready')) throw new Error('the collector starts');
    },
    { timeout: 60_000, interval: 50 },
  );
  return { url: `http://${endpoint}`, said: () => text };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const end = once(child, 'exit');
  child.kill('SIGKILL');
  await end;
}
