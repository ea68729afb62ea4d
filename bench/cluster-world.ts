/**
 * Parts shared by the benchmarks with several nodes: a PostgreSQL server, web servers that log their requests, and a
 * receiver that checks in which sequence orders arrive.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startedPostgres, stopPostgres } from '../test/support/postgres-server.js';
import { RUNTIME_ENV, RUNTIME_FLAGS, stop } from './processes.js';

const PROGRAM = fileURLToPath(new URL('../program/crawlway.js', import.meta.url));
const WORDS = 'crawl index site page link text search host query robots delay order push store frontier refresh'.split(
  ' ',
);
const TEXT = Array.from(
  { length: 40 },
  (_, p) => `<p>${WORDS.map((_, i) => WORDS[(p + i * i) % WORDS.length]).join(' ')}</p>`,
);

/** Settings of PostgreSQL: a quarter of the memory for its buffers, as its manual recommends. */
const SETTINGS = [
  `shared_buffers=${Math.round(totalmem() / 4 / 1_048_576)}MB`,
  'max_connections=400',
  'max_wal_size=4GB',
];

export interface Postgres {
  /** Of its first process, which has started the others. */
  readonly pid: number;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  close(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), 'crawlway-bench-postgres-'));
  // Also runs when the benchmark fails, which would otherwise leave behind a running server and gigabytes of data.
  process.once('exit', () => {
    void stopPostgres(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  const server = await startedPostgres(directory, SETTINGS);
  let databaseCount = 0;
  return {
    pid: Number.parseInt(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8'), 10),
    createDatabase: async () => {
      const name = `bench_${++databaseCount}`;
      const client = new pg.Client(server);
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
      return server.replace(/\/postgres$/, `/${name}`);
    },
    close: () => stopPostgres(directory),
  };
}

export interface Site {
  readonly url: string;
  /** All requests except those for robots.txt, with the time of their arrival by this process's clock. */
  readonly requests: { readonly at: number; readonly path: string }[];
}

/**
 * Web servers with `pages` pages each; every page links to the next three pages of its server and to the page of the
 * same number on the next server.
 */
export class Sites {
  private constructor(
    readonly all: readonly Site[],
    private readonly servers: readonly Server[],
  ) {}

  static async start(count: number, pages: number): Promise<Sites> {
    const all: Site[] = [];
    const servers = await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const requests: Site['requests'] = [];
        const server = await startServer((request, response) => {
          const path = request.url ?? '/';
          if (path === '/robots.txt') {
            response.writeHead(404).end();
            return;
          }
          requests.push({ at: performance.now(), path });
          const n = Number(/^\/(\d+)$/.exec(path)?.[1] ?? Number.NaN);
          if (!(n < pages)) response.writeHead(404).end();
          else
            response
              .writeHead(200, { 'content-type': 'text/html' })
              .end(renderPage(n, pages, all[(i + 1) % count]!.url));
        });
        all[i] = { url: getBaseUrl(server), requests };
        return server;
      }),
    );
    return new Sites(all, servers);
  }

  get requests(): number {
    return this.all.reduce((sum, site) => sum + site.requests.length, 0);
  }

  /** The shortest time between two requests to one server, in milliseconds. */
  get shortestGap(): number {
    return Math.min(...this.all.flatMap(({ requests }) => requests.slice(1).map(({ at }, i) => at - requests[i]!.at)));
  }

  close(): void {
    for (const server of this.servers) closeServer(server);
  }
}

function renderPage(n: number, pages: number, nextSiteUrl: string): string {
  const ownLinks = [1, 2, 3].filter((step) => n + step < pages).map((step) => `<a href="/${n + step}">more</a>`);
  return `<!doctype html><title>Page ${n}</title>${TEXT.join('\n')}${ownLinks.join(' ')} <a href="${nextSiteUrl}/${n}">same page</a>`;
}

interface Order {
  readonly id: number;
  readonly kind: string;
  readonly uri: string;
}

/** Acknowledges all orders, and remembers the last order for each document. */
export class Receiver {
  readonly documents = new Set<string>();
  /** Number of orders that arrived after a later order for the same document. */
  outOfOrder = 0;
  private readonly lastOrderIds = new Map<string, number>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const receiver: Receiver = new Receiver(
      await startServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const { orders } = JSON.parse(Buffer.concat(chunks).toString()) as { orders: Order[] };
          for (const order of orders) receiver.record(order);
          response.writeHead(204).end();
        });
      }),
    );
    return receiver;
  }

  get url(): string {
    return `${getBaseUrl(this.server)}/`;
  }

  close(): void {
    closeServer(this.server);
  }

  private record({ id, kind, uri }: Order): void {
    if (id < (this.lastOrderIds.get(uri) ?? 0)) this.outOfOrder++;
    this.lastOrderIds.set(uri, id);
    if (kind === 'add') this.documents.add(uri);
    else this.documents.delete(uri);
  }
}

export interface CrawlOptions {
  readonly database: string;
  readonly roots: readonly string[];
  readonly receiver: string;
  /** 0: without politeness. */
  readonly throttleMs: number;
}

/** A process that runs `crawlway serve` on a shared database. */
export class Node {
  private constructor(
    readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start({ database, roots, receiver, throttleMs }: CrawlOptions): Promise<Node> {
    const folder = mkdtempSync(join(tmpdir(), 'crawlway-bench-node-'));
    const config = join(folder, 'CrawlConfig.xml');
    mkdirSync(join(folder, 'data'));
    writeFileSync(
      config,
      `<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v21" xmlns:cw="urn:crawlway:config:1">
  <Crawler name="bench" nthreads="64" aggressive="${throttleMs === 0}" throttleTimeMS="${throttleMs}" defaultAccept="true" crawlSitemaps="false" nearDuplicateDetector="false">
    ${roots.map((url) => `<Root url="${url}" site="false"/>`).join('\n    ')}
    <cw:PushTo sink="main"/>
  </Crawler>
  <cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/></cw:Fetcher>
  <cw:Sink name="main" type="json" url="${receiver}"/>
</CrawlConfig>`,
    );
    const flags = ['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0', '--no-sample'];
    const child = spawn(process.execPath, [...RUNTIME_FLAGS, PROGRAM, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...RUNTIME_ENV, ...process.env, CRAWLWAY_DATABASE_URL: database },
    });
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        if (line.includes('Crawlway is ready')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`a node exited with code ${code} before it was ready`)));
    });
    return new Node(child, folder);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await stop(this.process, signal);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function startServer(listener: RequestListener): Promise<Server> {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const getBaseUrl = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function closeServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}
