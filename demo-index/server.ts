import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { OWNER_HEADER } from './sample-site/server.js';
import { IndexService, type Login } from './service.js';
import { IndexStore } from './store/store.js';

export interface IndexOptions extends Login {
  /** SQLite file; created if it does not exist. */
  readonly file: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Sent with each response, so that other servers know whose index it is. */
  readonly owner?: string;
  /** Address to listen on. Anything but a loopback address requires a login, which every request then needs. */
  readonly host: string;
}

export interface RunningIndex {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Completes the requests in flight, then closes the file. */
  close(): Promise<void>;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Maximum time, in milliseconds, for a request's header to arrive: idle connections must not block others. */
const HEADERS_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 1_024;

/** Maximum time, in milliseconds, to wait for requests in flight when the index closes. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Starts the bundled index: the Push API under `/papi/4`, `GET /search`, `GET /status` and a search page at `/`. */
export async function startIndex(options: IndexOptions): Promise<RunningIndex> {
  if (!options.login && !LOOPBACK.test(options.host))
    throw new Error(`to listen on ${options.host}, the index needs a login: set one, or listen on 127.0.0.1`);
  mkdirSync(dirname(options.file), { recursive: true });
  const store = new IndexStore(options.file);
  const service = new IndexService(store, options);
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    requestTimeout: 300_000,
    keepAliveTimeout: 60_000,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('request', (request, response) => {
    if (options.owner !== undefined) response.setHeader(OWNER_HEADER, options.owner);
    void service.respond(request, response);
  });
  try {
    await listen(server, options);
  } catch (error) {
    store.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, port, close: () => close(server, store) };
}

function listen(server: Server, { port, host }: IndexOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: Server, store: IndexStore): Promise<void> {
  const timeout = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await new Promise<void>((resolve) => {
    server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(timeout);
  store.close();
}
