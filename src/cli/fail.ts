import { InvalidConfiguration } from '../server/configuration/configuration-file.js';
import { UsageError } from '../server/options.js';

/** Tells what went wrong, without a stack when the message says all there is to know, and ends the process with 1. */
export function fail(error: unknown): never {
  const plain = error instanceof UsageError || error instanceof InvalidConfiguration;
  const text = error instanceof Error ? (plain ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`crawlway: ${text}\n`);
  process.exit(1);
}
