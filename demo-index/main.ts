import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startIndex } from './server.js';

const USAGE = `usage: node dist/program/demo-index.js [--port N] [--host ADDR] [--data DIR]
Runs only the bundled index. The environment variables INDEX_LOGIN and INDEX_PASSWORD set its login.`;

const DEFAULTS = { port: '8741', host: '127.0.0.1', data: 'data' };

function parseArguments() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const settings = { ...DEFAULTS, ...values };
  const port = Number(settings.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port must be a number from 0 to 65535, not ${settings.port}`);
  return { port, host: settings.host, file: join(settings.data, 'index.sqlite') };
}

// The files of the index must be readable only by the user who runs it.
process.umask(0o077);
try {
  const { INDEX_LOGIN: login, INDEX_PASSWORD: password } = process.env;
  const index = await startIndex({ ...parseArguments(), login, password });
  console.log(`index: ${index.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void index.close());
} catch (error) {
  console.error(`index: ${error instanceof Error ? error.message : error}\n${USAGE}`);
  process.exitCode = 1;
}
