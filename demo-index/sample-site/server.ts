/**
 * The bundled sample: a small web site about an invented museum, so that the first crawl works without any network. It
 * has features of real sites: a redirect, a broken link, a page that asks not to be indexed, a folder excluded by
 * robots.txt.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, extname, join } from 'node:path';

export interface RunningSite {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const REDIRECTS: Readonly<Record<string, string>> = { '/collection/foghorns.html': '/collection/fog-signals.html' };

/** Compiled files are in dist/, but the pages stay in the source folder. */
function pagesFolder(): string {
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const pages = join(folder, 'demo-index', 'sample-site', 'pages');
    if (existsSync(pages)) return pages;
  }
  throw new Error('the pages of the sample site are missing');
}

/** @param options.port 0 means any free port */
export async function startSampleSite(options: { readonly port: number; readonly host: string }): Promise<RunningSite> {
  const pages = readPages(pagesFolder());
  const server = createServer((request, response) => sendAnswer(request, response, createAnswer(request, pages)));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** All files, by the path under which they are served; they are few and small. */
function readPages(folder: string): ReadonlyMap<string, Buffer> {
  const pages = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (extname(entry) === '') continue;
    const path = `/${entry.replaceAll('\\', '/')}`;
    pages.set(path.replace(/\/index\.html$/, '/'), readFileSync(join(folder, entry)));
  }
  return pages;
}

function createAnswer(request: IncomingMessage, pages: ReadonlyMap<string, Buffer>): Answer {
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const origin = `http://${request.headers.host ?? '127.0.0.1'}`;
  const target = REDIRECTS[path];
  if (target) return { status: 301, headers: { location: target }, body: Buffer.alloc(0) };
  if (path === '/robots.txt')
    return textAnswer(`User-agent: *\nDisallow: /staff/\nSitemap: ${origin}/sitemap.xml\n`, 'text/plain');
  if (path === '/sitemap.xml') return textAnswer(sitemapAnswer(origin, pages), 'application/xml');
  const body = pages.get(path);
  if (!body) return { ...textAnswer('There is no such page.\n', 'text/plain'), status: 404 };
  return { status: 200, headers: { 'content-type': TYPES[extname(path)] ?? TYPES['.html']! }, body };
}

const textAnswer = (body: string, type: string): Answer => ({
  status: 200,
  headers: { 'content-type': `${type}; charset=utf-8` },
  body: Buffer.from(body),
});

function sitemapAnswer(origin: string, pages: ReadonlyMap<string, Buffer>): string {
  const shown = [...pages.keys()].filter((path) => /(?:\/|\.html)$/.test(path) && !path.startsWith('/staff/'));
  const entries = shown.map((path) => `  <url><loc>${origin}${path}</loc></url>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}\n</urlset>\n`;
}

function sendAnswer(request: IncomingMessage, response: ServerResponse, { status, headers, body }: Answer): void {
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
  if (status === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  response.writeHead(status, { ...headers, etag, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}
