/**
 * An endless, deterministic site for benchmarks: page n is about 20 KB with 30 links, 25 to pages that come early in a crawl
 * and 5 to its own children, so that `pages` pages are reachable from `/`. Runs alone:
 * `node dist/bench/synthetic-site.js --port 8090 --pages 10000`.
 */
import { createServer } from 'node:http';
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

export async function startSyntheticSite(port: number, pages: number): Promise<RunningSite> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    const n = pageNumber(request.url ?? '/');
    if (n === undefined || n >= pages) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${n}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(page(n, pages));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: bound } = server.address() as { port: number };
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${bound}/`, requests: () => requests, close };
}

function pageNumber(path: string): number | undefined {
  if (path === '/') return 0;
  const match = /^\/p\/(\d{1,9})\.html$/.exec(path);
  return match ? Number(match[1]) : undefined;
}

function page(n: number, pages: number): string {
  const links: string[] = [];
  for (let i = 0; i < 25; i++) links.push(anchor((n * 31 + i * 977) % Math.min(pages, Math.max(1, n + 1))));
  for (let i = 1; i <= 5; i++) links.push(anchor(n * 5 + i));
  const body = links.map((link, i) => `<p>${PARAGRAPHS[(n + i) % PARAGRAPHS.length]} ${link}</p>`).join('\n');
  return `<!doctype html><html lang="en"><head><title>Page ${n}</title></head><body><h1>Page ${n}</h1>\n${body}</body></html>`;
}

const anchor = (n: number): string => `<a href="${n === 0 ? '/' : `/p/${n}.html`}">page ${n}</a>`;

function paragraph(seed: number): string {
  return Array.from({ length: 85 }, (_, i) => WORDS[(seed * 7 + i * i + 3 * i) % WORDS.length]).join(' ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const option = (name: string, otherwise: number): number => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? otherwise : Number(process.argv[at + 1]);
  };
  const site = await startSyntheticSite(option('port', 8090), option('pages', 10_000));
  console.log(`synthetic site: ${site.url}`);
}
