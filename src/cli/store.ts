/** `crawlway store export|import`: moves the whole store from one database to another as lines of JSON. */
import { createReadStream, existsSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { access, appendFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Secret } from '../domain/secret.js';
import { readDatabaseUrl } from '../server/database-url.js';
import { exportDatabase, importDatabase } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { readServerOptions, UsageError } from '../server/options.js';

interface StoreFlags {
  readonly database?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** Number of characters written to a file at a time. */
const CHUNK = 1 << 20;

/** The beginning of every export. */
const BEGINNING = '{"header":';

const resolveDatabaseUrl = ({ database, data }: StoreFlags): Secret =>
  database !== undefined
    ? readDatabaseUrl(database)
    : readServerOptions({ data, host: '127.0.0.1' }, process.env).databaseUrl;

/** Exports the store; continues where an interrupted export ended. */
export async function exportStore(file: string, flags: StoreFlags): Promise<void> {
  process.umask(0o077);
  const last = file === '-' ? undefined : truncateToLastLine(file);
  let waiting = '';
  const writeExport = async (): Promise<void> => {
    if (file !== '-') await appendFile(file, waiting).catch(createFileErrorThrower(file, 'written'));
    else if (!process.stdout.write(waiting)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    waiting = '';
  };
  let lines = 0;
  for await (const line of exportDatabase(resolveDatabaseUrl(flags), last)) {
    waiting += line.endsWith('\n') ? line : `${line}\n`;
    lines++;
    if (waiting.length >= CHUNK) await writeExport();
  }
  await writeExport();
  if (flags.json) printResult({ lines, resumed: last !== undefined }, file === '-');
  else process.stderr.write(last === undefined ? `${lines} lines\n` : `${lines} more lines\n`);
}

/**
 * Imports an export; continues where an interrupted import of the same file ended, otherwise the target must be empty.
 */
export async function importStore(file: string, flags: StoreFlags): Promise<void> {
  if (file !== '-') await access(file).catch(createFileErrorThrower(file, 'read'));
  const summary = await importDatabase(resolveDatabaseUrl(flags), readLines(file));
  if (flags.json) return printResult(toCounts(summary), false);
  const counts = Object.entries(summary).map(([kind, { count }]) => `${count} ${kind}s`);
  process.stderr.write(`${counts.join(', ')}: counts and digests match\n`);
}

/** If the export itself goes to standard output, the result goes to standard error. */
const printResult = (result: object, elsewhere: boolean): void =>
  void (elsewhere ? process.stderr : process.stdout).write(`${JSON.stringify(result)}\n`);

const toCounts = (summary: object): object =>
  Object.fromEntries(Object.entries(summary).map(([kind, { count }]: [string, { count: number }]) => [kind, count]));

/** Starts reading only when the first line is requested, because earlier errors would be lost. */
async function* readLines(file: string): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw toFileError(file, 'read', error);
  }
}

const createFileErrorThrower =
  (file: string, verb: 'read' | 'written') =>
  (error: unknown): never => {
    throw toFileError(file, verb, error);
  };

/** Returns the last complete line of the file, and truncates the file after it. */
function truncateToLastLine(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const handle = openSync(file, 'r');
  requireExport(file, handle);
  const ends: number[] = [];
  let text = Buffer.alloc(0);
  for (let at = statSync(file).size; at > 0 && ends.length < 2; ) {
    const from = Math.max(0, at - CHUNK);
    const chunk = Buffer.alloc(at - from);
    readSync(handle, chunk, 0, chunk.length, from);
    text = Buffer.concat([chunk, text]);
    ends.length = 0;
    for (
      let end = text.lastIndexOf(10);
      end >= 0 && ends.length < 2;
      end = end > 0 ? text.lastIndexOf(10, end - 1) : -1
    )
      ends.push(end);
    at = from;
    if (at === 0 && ends.length === 1) ends.push(-1);
  }
  const [end, before] = ends;
  if (end === undefined || before === undefined) {
    truncateSync(file, 0);
    return undefined;
  }
  truncateSync(file, statSync(file).size - (text.length - end - 1));
  return text.subarray(before + 1, end).toString('utf8');
}

/** Makes sure that a file that is not an export is never truncated. */
function requireExport(file: string, handle: number): void {
  const head = Buffer.alloc(BEGINNING.length);
  try {
    const length = readSync(handle, head, 0, head.length, 0);
    if (BEGINNING.startsWith(head.toString('utf8', 0, length))) return;
  } catch (error) {
    throw toFileError(file, 'read', error);
  }
  throw new UsageError(`${file} exists but is not an export that can be continued: specify a new file`);
}
