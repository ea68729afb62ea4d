/**
 * The server as a process: what it says when it cannot start, and which signals it hears.
 */
import { InvalidConfiguration } from './configuration/configuration-file.js';
import { openLog } from './engine.module.js';
import { type ServerFlags, serverOptions, UsageError } from './options.js';
import { type RunningServer, serve } from './serve.js';

/** Faults that tell an operator all there is to know; a stack would only hide it. */
const PLAIN_FAULTS = new Set(['DataDirectoryInUse', 'StoreDamaged', 'StoreUnavailable']);

export async function run(flags: ServerFlags, withSample: boolean): Promise<void> {
  try {
    const log = openLog(process.env);
    const server = await serve(serverOptions(flags, process.env), { log, withSample });
    hearSignals(server);
  } catch (error) {
    process.stderr.write(`crawlway: ${describe(error)}\n`);
    process.exit(1);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const plain = error instanceof UsageError || error instanceof InvalidConfiguration || PLAIN_FAULTS.has(error.name);
  return plain ? error.message : (error.stack ?? error.message);
}

/** A second SIGINT or SIGTERM ends at once what a person does not want to wait for; nothing is lost by it. */
function hearSignals(server: RunningServer): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`crawlway: stopping failed: ${describe(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => void server.reload('signal'));
}
