/** `crawlway store export|import`: the whole store as lines of JSON, from one database to another. */
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

/** Characters written to a file at a time. */
const CHUNK = 1 << 20;

/** What every export begins with. */
const BEGINNING = '{"header":';

const resolveDatabaseUrl = ({ database, data }: StoreFlags): Secret =>
  database !== undefined
    ? readDatabaseUrl(database)
    : readServerOptions({ data, host: '127.0.0.1' }, process.env).databaseUrl;

/** Continues where an interrupted export ended. */
export async function exportStore(file: string, flags: StoreFlags): Promise<void> {
  process.umask(0o077);
  const last = file === '-' ? undefined : truncateToLastLine(file);
  let waiting = '';
  const writeExport = async (): Promise<void> => {
    if (file !== '-') await appendFile(file, waiting).catch(throwFileError(file, 'written'));
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
  else process.stderr.write(last === undefined ? `${lines} lines\n` : `${lines} lines more\n`);
}

/** Continues where an interrupted import of the same file ended; otherwise the target must be empty. */
export async function importStore(file: string, flags: StoreFlags): Promise<void> {
  if (file !== '-') await access(file).catch(throwFileError(file, 'read'));
  const summary = await importDatabase(resolveDatabaseUrl(flags), readLines(file));
  if (flags.json) return printResult(toCounts(summary), false);
  const counts = Object.entries(summary).map(([kind, { count }]) => `${count} ${kind}s`);
  process.stderr.write(`${counts.join(', ')}: counts and digests agree\n`);
}

/** If the export itself goes to standard output, the result goes to standard error. */
const printResult = (result: object, elsewhere: boolean): void =>
  void (elsewhere ? process.stderr : process.stdout).write(`${JSON.stringify(result)}\n`);

const toCounts = (summary: object): object =>
  Object.fromEntries(Object.entries(summary).map(([kind, { count }]: [string, { count: number }]) => [kind, count]));

/** Starts to read when the first line is requested: errors before that would be lost. */
async function* readLines(file: string): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw toFileError(file, 'read', error);
  }
}

const throwFileError =
  (file: string, verb: 'read' | 'written') =>
  (error: unknown): never => {
    throw toFileError(file, verb, error);
  };

/** The last complete line of the file; what follows it is cut off. */
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

/** Nothing is cut off a file that is something else. */
function requireExport(file: string, handle: number): void {
  const head = Buffer.alloc(BEGINNING.length);
  try {
    const length = readSync(handle, head, 0, head.length, 0);
    if (BEGINNING.startsWith(head.toString('utf8', 0, length))) return;
  } catch (error) {
    throw toFileError(file, 'read', error);
  }
  throw new UsageError(`${file} exists and is not an export that could be continued: name a new file`);
}
