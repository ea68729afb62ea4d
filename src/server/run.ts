/** The server as a process: its start, and its signals. */
import { openLog, openTelemetry } from './engine.module.js';
import { fail } from './fail.js';
import { readServerOptions, type ServerFlags } from './options.js';
import { type RunningServer, serve } from './serve.js';

/** Runs until a signal ends it. */
export async function run(flags: ServerFlags, withSample: boolean): Promise<void> {
  const starting = start(flags, withSample);
  handleSignals(starting);
  await starting.catch(fail);
}

async function start(flags: ServerFlags, withSample: boolean): Promise<RunningServer> {
  // The server's files are for its own user: the database, histories, rules and orders in files.
  process.umask(0o077);
  const log = openLog(process.env);
  const options = readServerOptions(flags, process.env);
  return serve(options, { log, withSample, telemetry: await openTelemetry(process.env, log) });
}

/** Also while the server starts: it is stopped as soon as possible. A second signal ends it at once, and nothing is lost. */
function handleSignals(starting: Promise<RunningServer>): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    try {
      const server = await starting;
      server.log.info(
        `${signal} received: the server stops; orders in flight are delivered or left for the next start`,
      );
      await server.close();
      server.log.info('the server has stopped');
      process.exit(0);
    } catch (error) {
      fail(error);
    }
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', () => void starting.then((server) => server.reload('signal')).catch(() => undefined));
}
