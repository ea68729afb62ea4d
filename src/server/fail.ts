/** What an operator is told of the fault that ends a program. */
import { getSystemErrorMessage } from 'node:util';
import { redact } from '../domain/redact.js';
import { UsageError } from './options.js';
import { printableLines } from './printable.js';

/** Faults that tell an operator all there is to know; a stack would only hide it. */
const PLAIN_FAULTS = new Set([
  'UsageError',
  'InvalidConfiguration',
  'DataDirectoryInUse',
  'NodesDiffer',
  'StoreDamaged',
  'StoreUnavailable',
  'TransferRefused',
]);

/** Tells what went wrong and ends the process with 1. */
export function fail(error: unknown): never {
  process.stderr.write(`crawlway: ${printableLines(redact(describe(error)))}\n`);
  process.exit(1);
}

/** Of a file that the operating system refuses; any other fault is a defect of ours and stays as it is. */
export function fileFault(path: string, verb: 'read' | 'written' | 'used', error: unknown): unknown {
  const { code, errno, syscall } = error as NodeJS.ErrnoException;
  if (errno === undefined || syscall === undefined) return error;
  const reason = code === 'EISDIR' ? 'it is a folder, and a file is wanted' : getSystemErrorMessage(errno);
  return new UsageError(`${path} cannot be ${verb}: ${reason}`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path } = error as NodeJS.ErrnoException;
  const reported = path === undefined ? error : (fileFault(path, 'used', error) as Error);
  return PLAIN_FAULTS.has(reported.name) ? reported.message : (reported.stack ?? reported.message);
}
