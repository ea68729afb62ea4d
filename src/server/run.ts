/** Runs the server as a process: start and signal handling. */
import { openLog, openTelemetry } from './engine.module.js';
import { fail } from './fail.js';
import { readServerOptions, type ServerFlags } from './options.js';
import { type RunningServer, serve } from './serve.js';

/** Runs until a signal ends it. */
export async function run(flags: ServerFlags, withSample: boolean): Promise<void> {
  const startup = start(flags, withSample);
  handleSignals(startup);
  await startup.catch(fail);
}

async function start(flags: ServerFlags, withSample: boolean): Promise<RunningServer> {
  // The server's files (database, histories, rules, orders in files) are readable by its own user only.
  process.umask(0o077);
  const log = openLog(process.env);
  const options = readServerOptions(flags, process.env);
  return serve(options, { log, withSample, telemetry: await openTelemetry(process.env, log) });
}

/**
 * Also handles signals while the server is starting, and then stops it as soon as possible. A second signal ends the
 * process at once; nothing is lost.
 */
function handleSignals(startup: Promise<RunningServer>): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    try {
      const server = await startup;
      server.log.info(
        `${signal} received: the server is stopping; orders in flight are delivered or left for the next start`,
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
  process.on('SIGHUP', () => void startup.then((server) => server.reload('signal')).catch(() => undefined));
}
