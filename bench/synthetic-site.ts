/**
 * A deterministic site of any size for benchmarks. Page n has about 20 KB and 30 links, 25 of them to pages that come
 * early in a crawl and 5 to its own children, so that `pages` pages are reachable from `/`; no link is broken. All
 * hosts serve the same pages: 127.0.1.1 and the following addresses, or 127.0.0.1 alone. As a program, it prints when
 * the first request to each host arrives: `node dist/bench/synthetic-site.js --port 8090 --pages 10000 [--hosts 64]`.
 */
import { createServer, type RequestListener, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';

const WORDS = 'crawl index site page link text search host query robots delay order push store frontier refresh'.split(
  ' ',
);
const PARAGRAPHS = Array.from({ length: 64 }, (_, p) => createParagraph(p));

export interface RunningSite {
  readonly url: string;
  readonly requests: () => number;
  close(): Promise<void>;
}

export interface SiteSettings {
  readonly port: number;
  readonly pages: number;
  /** Number of hosts, 127.0.1.1 to 127.0.1.n. 0: only 127.0.0.1. */
  readonly hosts?: number;
  /** Called when the first request to a host arrives. */
  readonly onFirstRequest?: (host: string) => void;
}

export async function startSyntheticSite({
  port,
  pages,
  hosts = 0,
  onFirstRequest,
}: SiteSettings): Promise<RunningSite> {
  let requests = 0;
  const knownHosts = new Set<string>();
  const handleRequest: RequestListener = (request, response) => {
    requests++;
    const host = request.headers.host ?? '';
    if (!knownHosts.has(host)) {
      knownHosts.add(host);
      onFirstRequest?.(host);
    }
    const n = parsePageNumber(request.url ?? '/');
    if (n === undefined || n >= pages) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${n}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(renderPage(n, pages));
  };
  const addresses = hosts === 0 ? ['127.0.0.1'] : Array.from({ length: hosts }, (_, i) => `127.0.1.${i + 1}`);
  const servers = await Promise.all(
    addresses.map((address) => startListening(createServer(handleRequest), address, port)),
  );
  const { port: boundPort } = servers[0]!.address() as { port: number };
  const close = async (): Promise<void> => {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  };
  return { url: `http://${addresses[0]}:${boundPort}/`, requests: () => requests, close };
}

const startListening = (server: Server, address: string, port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, address, () => resolve(server));
  });

function parsePageNumber(path: string): number | undefined {
  if (path === '/') return 0;
  const match = /^\/p\/(\d{1,9})\.html$/.exec(path);
  return match ? Number(match[1]) : undefined;
}

function renderPage(n: number, pages: number): string {
  const links: string[] = [];
  for (let i = 0; i < 25; i++) links.push(renderAnchor((n * 31 + i * 977) % Math.min(pages, Math.max(1, n + 1))));
  for (let i = 1; i <= 5; i++) if (n * 5 + i < pages) links.push(renderAnchor(n * 5 + i));
  const body = links.map((link, i) => `<p>${PARAGRAPHS[(n + i) % PARAGRAPHS.length]} ${link}</p>`).join('\n');
  return `<!doctype html><html lang="en"><head><title>Page ${n}</title></head><body><h1>Page ${n} of ${createWord(n)}</h1>\n${body}</body></html>`;
}

/** Creates a word that only page n has: pages without new content would be mistaken for a trap. */
const createWord = (n: number): string => Array.from(String(n), (digit) => 'bcdfghjklm'[Number(digit)]).join('a');

const renderAnchor = (n: number): string => `<a href="${n === 0 ? '/' : `/p/${n}.html`}">page ${n}</a>`;

function createParagraph(seed: number): string {
  return Array.from({ length: 85 }, (_, i) => WORDS[(seed * 7 + i * i + 3 * i) % WORDS.length]).join(' ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const getOption = (name: string, fallback: number): number => {
    const index = process.argv.indexOf(`--${name}`);
    return index < 0 ? fallback : Number(process.argv[index + 1]);
  };
  const site = await startSyntheticSite({
    port: getOption('port', 8090),
    pages: getOption('pages', 10_000),
    hosts: getOption('hosts', 0),
    onFirstRequest: (host) => console.log(`first request to ${host} at ${Date.now()}`),
  });
  console.log(`synthetic site: ${site.url}`);
}
