/** Tells the operator about an error that ends the program. */
import { getSystemErrorMessage } from 'node:util';
import { redact } from '../domain/redact.js';
import { toPrintableLines } from './printable.js';

/** Names of errors whose message says everything that an operator needs; a stack trace would only obscure it. */
const PLAIN_ERRORS = new Set([
  'UsageError',
  'InvalidConfiguration',
  'DataDirectoryInUse',
  'NodesDiffer',
  'StoreDamaged',
  'StoreUnavailable',
  'TransferRefused',
]);

/** Reports what went wrong and ends the process with exit code 1. */
export function fail(error: unknown): never {
  process.stderr.write(`crawlway: ${toPrintableLines(redact(describeError(error)))}\n`);
  process.exit(1);
}

/** What the words of the system leave unclear. */
const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder; a file is expected',
  ENOTDIR: 'a part of its path is a file; a folder is expected',
  'mkdir EEXIST': 'it is a file; a folder is expected',
};

/** Turns an operating system error for a file into a UsageError. Any other error is a bug and is returned unchanged. */
export function toFileError(path: string, verb: 'read' | 'written' | 'used', error: unknown): unknown {
  const { code, errno, syscall } = error as NodeJS.ErrnoException;
  if (errno === undefined || syscall === undefined) return error;
  const reason = REASONS[`${syscall} ${code}`] ?? REASONS[code ?? ''] ?? getSystemErrorMessage(errno);
  return new UsageError(`${path} cannot be ${verb}: ${reason}`);
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path } = error as NodeJS.ErrnoException;
  const reportedError = path === undefined ? error : (toFileError(path, 'used', error) as Error);
  return PLAIN_ERRORS.has(reportedError.name) ? reportedError.message : (reportedError.stack ?? reportedError.message);
}

/** A mistake in flags or environment: reported in one sentence, without a stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
