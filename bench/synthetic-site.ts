/**
 * An endless, deterministic site for benchmarks: page n is about 20 KB with 30 links, 25 to pages that come early in a crawl
 * and 5 to its own children, so that `pages` pages are reachable from `/`; no link is broken. The same pages stand on every
 * host, 127.0.1.1 and the following, or 127.0.0.1 alone. Prints when each host was asked for the first time.
 * Runs alone: `node dist/bench/synthetic-site.js --port 8090 --pages 10000 [--hosts 64]`.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';

const WORDS = 'crawl index site page link text search host query robots delay order push store frontier refresh'.split(
  ' ',
);
const PARAGRAPHS = Array.from({ length: 64 }, (_, p) => paragraph(p));

export interface RunningSite {
  readonly url: string;
  readonly requests: () => number;
  close(): Promise<void>;
}

export interface SiteSettings {
  readonly port: number;
  readonly pages: number;
  /** 127.0.1.1 … 127.0.1.n; 0: 127.0.0.1. */
  readonly hosts?: number;
  /** The first request to a host has come. */
  readonly asked?: (host: string) => void;
}

export async function startSyntheticSite({ port, pages, hosts = 0, asked }: SiteSettings): Promise<RunningSite> {
  let requests = 0;
  const known = new Set<string>();
  const answer: RequestListener = (request, response) => {
    requests++;
    const host = request.headers.host ?? '';
    if (!known.has(host)) {
      known.add(host);
      asked?.(host);
    }
    const n = pageNumber(request.url ?? '/');
    if (n === undefined || n >= pages) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${n}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(page(n, pages));
  };
  const addresses = hosts === 0 ? ['127.0.0.1'] : Array.from({ length: hosts }, (_, i) => `127.0.1.${i + 1}`);
  const servers = await Promise.all(addresses.map((address) => listening(createServer(answer), address, port)));
  const { port: bound } = servers[0]!.address() as { port: number };
  const close = async (): Promise<void> => {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  };
  return { url: `http://${addresses[0]}:${bound}/`, requests: () => requests, close };
}

const listening = (server: Server, address: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, address, () => resolve(server));
  });

function pageNumber(path: string): number | undefined {
  if (path === '/') return 0;
  const match = /^\/p\/(\d{1,9})\.html$/.exec(path);
  return match ? Number(match[1]) : undefined;
}

function page(n: number, pages: number): string {
  const links: string[] = [];
  for (let i = 0; i < 25; i++) links.push(anchor((n * 31 + i * 977) % Math.min(pages, Math.max(1, n + 1))));
  for (let i = 1; i <= 5; i++) if (n * 5 + i < pages) links.push(anchor(n * 5 + i));
  const body = links.map((link, i) => `<p>${PARAGRAPHS[(n + i) % PARAGRAPHS.length]} ${link}</p>`).join('\n');
  return `<!doctype html><html lang="en"><head><title>Page ${n}</title></head><body><h1>Page ${n} of ${word(n)}</h1>\n${body}</body></html>`;
}

/** Every page has a word of its own: pages that say nothing new would be taken for a trap. */
const word = (n: number): string => Array.from(String(n), (digit) => 'bcdfghjklm'[Number(digit)]).join('a');

const anchor = (n: number): string => `<a href="${n === 0 ? '/' : `/p/${n}.html`}">page ${n}</a>`;

function paragraph(seed: number): string {
  return Array.from({ length: 85 }, (_, i) => WORDS[(seed * 7 + i * i + 3 * i) % WORDS.length]).join(' ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const option = (name: string, otherwise: number): number => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(process.argv[at + 1]);
  };
  const site = await startSyntheticSite({
    port: option('port', 8090),
    pages: option('pages', 10_000),
    hosts: option('hosts', 0),
    asked: (host) => console.log(`first request to ${host} at ${Date.now()}`),
  });
  console.log(`synthetic site: ${site.url}`);
}
