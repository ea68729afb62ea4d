/**
 * The bundled sample: a small web site about an invented museum, so that the first crawl works without a network. It
 * has features of real sites: a redirect, a broken link, a page with noindex, and a folder excluded by robots.txt.
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

interface ResponseData {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

const REDIRECTS: Readonly<Record<string, string>> = { '/collection/foghorns.html': '/collection/fog-signals.html' };

/** Finds the folder with the pages, which stay in the source folder when the code is compiled to dist/. */
function findPagesFolder(): string {
  for (let folder = import.meta.dirname; dirname(folder) !== folder; folder = dirname(folder)) {
    const pages = join(folder, 'demo-index', 'sample-site', 'pages');
    if (existsSync(pages)) return pages;
  }
  throw new Error('the pages of the sample site are missing: there is no folder demo-index/sample-site/pages');
}

/** Response header with which the sample says to whom it belongs; see `owner`. */
export const OWNER_HEADER = 'crawlway-sample-of';

interface SampleSiteOptions {
  /** 0 means any free port. */
  readonly port: number;
  readonly host: string;
  /** Sent with each response, so that other servers know whose sample it is. */
  readonly owner?: string;
}

export async function startSampleSite(options: SampleSiteOptions): Promise<RunningSite> {
  const pages = readPages(findPagesFolder());
  const server = createServer((request, response) => {
    if (options.owner !== undefined) response.setHeader(OWNER_HEADER, options.owner);
    sendResponse(request, response, createResponse(request, pages));
  });
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

/** Reads all files into memory, by the path under which they are served; they are few and small. */
function readPages(folder: string): ReadonlyMap<string, Buffer> {
  const pages = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (extname(entry) === '') continue;
    const path = `/${entry.replaceAll('\\', '/')}`;
    pages.set(path.replace(/\/index\.html$/, '/'), readFileSync(join(folder, entry)));
  }
  return pages;
}

function createResponse(request: IncomingMessage, pages: ReadonlyMap<string, Buffer>): ResponseData {
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const origin = `http://${request.headers.host ?? '127.0.0.1'}`;
  const target = REDIRECTS[path];
  if (target) return { status: 301, headers: { location: target }, body: Buffer.alloc(0) };
  if (path === '/robots.txt')
    return createTextResponse(`User-agent: *\nDisallow: /staff/\nSitemap: ${origin}/sitemap.xml\n`, 'text/plain');
  if (path === '/sitemap.xml') return createTextResponse(buildSitemap(origin, pages), 'application/xml');
  const body = pages.get(path);
  if (!body) return { ...createTextResponse('Page not found.\n', 'text/plain'), status: 404 };
  return { status: 200, headers: { 'content-type': CONTENT_TYPES[extname(path)] ?? CONTENT_TYPES['.html']! }, body };
}

const createTextResponse = (body: string, type: string): ResponseData => ({
  status: 200,
  headers: { 'content-type': `${type}; charset=utf-8` },
  body: Buffer.from(body),
});

function buildSitemap(origin: string, pages: ReadonlyMap<string, Buffer>): string {
  const paths = [...pages.keys()].filter((path) => /(?:\/|\.html)$/.test(path) && !path.startsWith('/staff/'));
  const entries = paths.map((path) => `  <url><loc>${origin}${path}</loc></url>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}\n</urlset>\n`;
}

function sendResponse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: ResponseData,
): void {
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
  if (status === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  response.writeHead(status, { ...headers, etag, 'content-length': body.length });
  response.end(request.method === 'HEAD' ? undefined : body);
}
