/**
 * Engines of others, as real processes: a folder of `test/engines/` holds a Maven project that names the artifacts, or the name of
 * one that holds all it needs (`artifact.txt`), and a Java file that starts them. A project that serves several releases leaves out the version
 * (`${engine.version}`). Maven resolves the class path once per version of the project and keeps the jars in its own cache.
 */
import { type ChildProcessByStdio, execFile, spawnSync, spawn as start } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';

const ENGINES = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** The oldest Java that all engines but the newest run on. */
const MIN_JAVA = 17;
const INSTALLED = '/usr/lib/jvm';

/** Why engines on the Java virtual machine cannot run here; undefined when they can. */
export function javaIsMissing(minJava = MIN_JAVA): string | undefined {
  if (spawnSync('mvn', ['-version'], { stdio: 'ignore' }).status !== 0) return 'mvn';
  return findJava(minJava) === undefined ? `Java ${minJava}` : undefined;
}

/** A Java of this or a later version: the one of the path, or one that is installed beside it. */
function findJava(minJava: number): string | undefined {
  const folders = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort() : [];
  return ['java', ...folders.map((name) => join(INSTALLED, name, 'bin', 'java'))].find((program) => {
    const { status, stderr } = spawnSync(program, ['-version'], { encoding: 'utf8' });
    return status === 0 && Number(/version "(\d+)/.exec(stderr)?.[1]) >= minJava;
  });
}

/** The jars of an engine, as a class path. The first call on a machine takes about a minute. */
async function classPath(engine: string, release = ''): Promise<string> {
  const artifact = join(ENGINES, engine, 'artifact.txt');
  if (existsSync(artifact)) return jarOf(readFileSync(artifact, 'utf8').trim());
  const project = join(ENGINES, engine, 'pom.xml');
  const version = createHash('sha256').update(readFileSync(project)).update(release).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), 'crawlway-engines');
  const file = join(folder, `${engine}-${version}.classpath`);
  const isWhole = () => existsSync(file) && readFileSync(file, 'utf8').split(':').every(existsSync);
  if (!isWhole()) {
    mkdirSync(folder, { recursive: true });
    const written = `${file}.${process.pid}`;
    const goals = ['dependency:build-classpath', `-Dmdep.outputFile=${written}`, `-Dengine.version=${release}`];
    await run('mvn', ['-q', '-B', '-f', project, ...goals], { timeout: 600_000, maxBuffer: 16 * 1024 * 1024 });
    renameSync(written, file);
  }
  return readFileSync(file, 'utf8').trim();
}

/** @param artifact group, name and version, apart by colons */
async function jarOf(artifact: string): Promise<string> {
  const [, name, version] = artifact.split(':');
  const folder = join(tmpdir(), 'crawlway-engines');
  const jar = join(folder, `${name}-${version}.jar`);
  if (existsSync(jar)) return jar;
  const written = join(folder, String(process.pid));
  const goals = ['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${written}`];
  await run('mvn', ['-q', '-B', ...goals], { cwd: tmpdir(), timeout: 600_000, maxBuffer: 16 * 1024 * 1024 });
  renameSync(join(written, `${name}-${version}.jar`), jar);
  return jar;
}

/**
 * The folder that an archive has been unpacked into, once on a machine.
 *
 * @param artifact group, name, version and type, apart by colons
 * @param prepare is called once with that folder, before others see it
 */
export async function unpackedArtifact(
  artifact: string,
  prepare: (folder: string) => Promise<unknown>,
): Promise<string> {
  const [, name, version] = artifact.split(':');
  const folder = join(tmpdir(), 'crawlway-engines', `${name}-${version}`);
  if (existsSync(folder)) return folder;
  const written = `${folder}.${process.pid}`;
  // Maven remembers what it has unpacked before, and would not do it again into another folder.
  const goals = ['dependency:unpack', '-Dmdep.overWriteReleases=true', `-Dartifact=${artifact}`];
  goals.push(`-DoutputDirectory=${written}`);
  await run('mvn', ['-q', '-B', ...goals], { cwd: tmpdir(), timeout: 600_000, maxBuffer: 16 * 1024 * 1024 });
  await prepare(written);
  renameSync(written, folder);
  return folder;
}

export interface JavaEngine {
  /** Ends it in order. */
  stop(): Promise<void>;
  /** Ends it as a power failure would. */
  kill(): Promise<void>;
}

/** Resolves when the engine has printed that it is ready; rejects with the end of its log when it ends before. */
export async function startJavaEngine(
  engine: string,
  main: string,
  programArguments: readonly string[],
  { version, java = MIN_JAVA }: { readonly version?: string; readonly java?: number } = {},
): Promise<JavaEngine> {
  const source = join(ENGINES, engine, `${main}.java`);
  const flags = ['-Xms256m', '-Xmx768m', '-cp', await classPath(engine, version), source];
  const child = start(findJava(java) ?? 'java', [...flags, ...programArguments], { stdio: ['pipe', 'pipe', 'pipe'] });
  await untilReady(child, engine);
  const ended = once(child, 'exit');
  const leave = async (action: () => void): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      action();
      await ended;
    }
  };
  return {
    stop: () => leave(() => child.stdin.end()),
    kill: () => leave(() => child.kill('SIGKILL')),
  };
}

function untilReady(child: ChildProcessByStdio<Writable, Readable, Readable>, engine: string): Promise<void> {
  const log: string[] = [];
  return new Promise((resolve, reject) => {
    const take = (line: string): void => {
      log.push(line);
      if (log.length > 40) log.shift();
      if (line.includes('engine is ready')) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', take);
    child.on('exit', (code) => reject(new Error(`${engine} ended (${code}):\n${log.join('\n')}`)));
  });
}
