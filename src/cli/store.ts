/** `crawlway store export|import`: moves the whole store from one database to another as lines of JSON. */
import { createReadStream, existsSync, openSync, readSync, statSync, truncateSync } from 'node:fs';
import { access, appendFile } from 'node:fs/promises';
import type { Secret } from '../domain/secret.js';
import { exportDatabase, importDatabase } from '../server/engine.module.js';
import { toFileError } from '../server/fail.js';
import { readStorageOptions, UsageError } from '../server/options.js';

interface StoreFlags {
  readonly database?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** Number of characters to write, or bytes to read, at a time. */
const CHUNK_SIZE = 1 << 20;

/** The text with which every export begins. */
const EXPORT_PREFIX = '{"header":';

const resolveDatabaseUrl = (flags: StoreFlags): Secret => readStorageOptions(flags, process.env).databaseUrl;

/** Exports the store; continues where an interrupted export left off. */
export async function exportStore(file: string, flags: StoreFlags): Promise<void> {
  process.umask(0o077);
  const lastLine = file === '-' ? undefined : truncateToLastLine(file);
  let buffer = '';
  const writeExport = async (): Promise<void> => {
    if (file !== '-') await appendFile(file, buffer).catch(createFileErrorThrower(file, 'written'));
    else if (!process.stdout.write(buffer)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    buffer = '';
  };
  let lineCount = 0;
  for await (const line of readStore(flags, lastLine)) {
    buffer += line.endsWith('\n') ? line : `${line}\n`;
    lineCount++;
    if (buffer.length >= CHUNK_SIZE) await writeExport();
  }
  await writeExport();
  if (flags.json) printResult({ lines: lineCount, resumed: lastLine !== undefined }, file === '-');
  else process.stderr.write(lastLine === undefined ? `${lineCount} lines\n` : `${lineCount} more lines\n`);
}

async function* readStore(flags: StoreFlags, lastLine: string | undefined): AsyncGenerator<string> {
  try {
    yield* exportDatabase(resolveDatabaseUrl(flags), lastLine);
  } catch (error) {
    if ((error as Error).name !== 'DataDirectoryInUse') throw error;
    throw new UsageError(
      'the database is in use by another server: stop it to export, or make a backup while it runs, with sqlite3 and .backup',
    );
  }
}

/**
 * Imports an export; continues where an interrupted import of the same file ended, otherwise the target must be empty.
 */
export async function importStore(file: string, flags: StoreFlags): Promise<void> {
  if (file !== '-') await access(file).catch(createFileErrorThrower(file, 'read'));
  const summary = await importDatabase(resolveDatabaseUrl(flags), readLines(file));
  if (flags.json) return printResult(toCounts(summary), false);
  const counts = Object.entries(summary).map(([kind, { count }]) => `${kind}: ${count}`);
  process.stderr.write(`Imported records by kind: ${counts.join(', ')}. Counts and digests match.\n`);
}

/** If the export itself goes to standard output, the result goes to standard error. */
const printResult = (result: object, toStderr: boolean): void =>
  void (toStderr ? process.stderr : process.stdout).write(`${JSON.stringify(result)}\n`);

const toCounts = (summary: object): object =>
  Object.fromEntries(Object.entries(summary).map(([kind, { count }]: [string, { count: number }]) => [kind, count]));

/**
 * Opens the file only when the first line is requested, because an earlier error would be lost. Node's readline would also
 * end a line at separators of Unicode, which texts in JSON have.
 */
async function* readLines(file: string): AsyncGenerator<string> {
  const input = (file === '-' ? process.stdin : createReadStream(file)).setEncoding('utf8');
  let rest = '';
  try {
    for await (const part of input) {
      const lines = `${rest}${part}`.split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } catch (error) {
    throw toFileError(file, 'read', error);
  }
  if (rest !== '') yield rest;
}

const createFileErrorThrower =
  (file: string, verb: 'read' | 'written') =>
  (error: unknown): never => {
    throw toFileError(file, verb, error);
  };

/** Truncates the file after its last complete line and returns that line; undefined if there is none. */
function truncateToLastLine(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const handle = openSync(file, 'r');
  requireExport(file, handle);
  const lineEnds: number[] = [];
  let text = Buffer.alloc(0);
  for (let position = statSync(file).size; position > 0 && lineEnds.length < 2; ) {
    const start = Math.max(0, position - CHUNK_SIZE);
    const chunk = Buffer.alloc(position - start);
    readSync(handle, chunk, 0, chunk.length, start);
    text = Buffer.concat([chunk, text]);
    lineEnds.length = 0;
    for (
      let end = text.lastIndexOf(10);
      end >= 0 && lineEnds.length < 2;
      end = end > 0 ? text.lastIndexOf(10, end - 1) : -1
    )
      lineEnds.push(end);
    position = start;
    if (position === 0 && lineEnds.length === 1) lineEnds.push(-1);
  }
  const [end, previousEnd] = lineEnds;
  if (end === undefined || previousEnd === undefined) {
    truncateSync(file, 0);
    return undefined;
  }
  truncateSync(file, statSync(file).size - (text.length - end - 1));
  return text.subarray(previousEnd + 1, end).toString('utf8');
}

/** Throws unless the file begins like an export, so that no other file is ever truncated. */
function requireExport(file: string, handle: number): void {
  const head = Buffer.alloc(EXPORT_PREFIX.length);
  try {
    const length = readSync(handle, head, 0, head.length, 0);
    if (EXPORT_PREFIX.startsWith(head.toString('utf8', 0, length))) return;
  } catch (error) {
    throw toFileError(file, 'read', error);
  }
  throw new UsageError(`${file} exists but is not an export that can be continued: specify a new file`);
}
