/** Sites that harm a crawler, deliberately or not: one page per trap, all linked from the start page. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type FakePage, FakeSite, html } from './fake-site.js';

const TYPE = { 'content-type': 'text/html; charset=utf-8' };
const MEGABYTE = 1024 * 1024;
const FILLING = Buffer.alloc(64 * 1024, 'all work and no play makes a crawler a dull boy ');

/** The page, and the resulting reason of its URL. */
export const HOSTILE_PAGES: Readonly<Record<string, { readonly page: FakePage; readonly reason: string }>> = {
  '/endless': { page: (_, response) => pour(response, Number.POSITIVE_INFINITY), reason: 'body-too-large' },
  '/bomb': {
    page: { headers: { ...TYPE, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(64 * MEGABYTE)) },
    reason: 'body-too-large',
  },
  '/drip': { page: (_, response) => drip(response), reason: 'read-timeout' },
  '/silent': { page: () => undefined, reason: 'read-timeout' },
  '/header-flood': {
    page: ({ socket }) => void socket.write(`HTTP/1.1 200 OK\r\n${'x-flood: and another one\r\n'.repeat(20_000)}`),
    reason: 'header-too-large',
  },
  '/broken-chunk': {
    page: ({ socket }) =>
      void socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\nhello'),
    reason: 'body-undecodable',
  },
  '/bare-lf': {
    page: ({ socket }) =>
      void socket.end(`HTTP/1.0 200\ncontent-type: text/html\n\n${html('Bare', [], 'Line feeds only.')}`),
    reason: 'indexed',
  },
  '/self': { page: redirect('/self'), reason: 'redirect-loop' },
  '/loop1': { page: redirect('/loop2'), reason: 'redirected' },
  '/deep-dom': {
    page: { headers: TYPE, body: `${'<div>'.repeat(100_000)}deep ${'</div>'.repeat(100_000)}` },
    reason: 'indexed',
  },
  '/many-links': {
    page: {
      headers: TYPE,
      body: html(
        'Many',
        Array.from({ length: 100_000 }, (_, i) => `/many?${i}`),
      ),
    },
    reason: 'indexed',
  },
  '/calendar?day=0': { page: calendar, reason: 'indexed' },
  '/down/': { page: { headers: TYPE, body: html('Deeper', ['down/', './x/']) }, reason: 'indexed' },
};

/** Packed once for all tests that need it. */
let sitemapBomb: Buffer | undefined;

export async function startHostileSite(address = '127.0.0.1'): Promise<FakeSite> {
  const site = await FakeSite.start(address);
  for (const [path, { page }] of Object.entries(HOSTILE_PAGES)) site.set(path.split('?')[0]!, page);
  for (const [from, to] of [
    ['/loop2', '/loop3'],
    ['/loop3', '/loop1'],
  ] as const)
    site.set(from, redirect(to));
  site.set('/many', { headers: TYPE, body: html('One of many', []) });
  sitemapBomb ??= gzipSync(`<urlset>${'<url><loc>/from-the-bomb</loc></url>'.repeat(1_000_000)}</urlset>`);
  site.set('/sitemap.xml', {
    headers: { 'content-type': 'application/xml', 'content-encoding': 'gzip' },
    body: sitemapBomb,
  });
  site.page('/', Object.keys(HOSTILE_PAGES));
  return site.elsewhere((path) => {
    // Every directory has a subdirectory, and every page of the endless part a next page.
    if (path.startsWith('/down/')) return { headers: TYPE, body: html(path, ['down/', `${path.length}/`], path) };
    const id = /^\/id\/(\d+)$/.exec(path)?.[1];
    return id === undefined ? undefined : { headers: TYPE, body: html(path, [`/id/${Number(id) + 1}`], path) };
  });
}

/** A site with an endless robots.txt and ordinary pages; reports how much of robots.txt was sent. */
export async function startGiganticRobots(bytes: number): Promise<{ site: FakeSite; sent: () => number }> {
  const site = await FakeSite.start();
  let sent = 0;
  site.set('/robots.txt', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('User-agent: *\nDisallow: /private\n');
    pourInto(response, bytes, Buffer.alloc(64 * 1024, '# and so on\n'), (length) => {
      sent += length;
    });
    return undefined;
  });
  site.page('/', ['/public', '/private']).page('/public').page('/private');
  return { site, sent: () => sent };
}

function redirect(location: string): FakePage {
  return { status: 302, headers: { location } };
}

function calendar(request: { url?: string }): ReturnType<Extract<FakePage, (...args: never) => unknown>> {
  const day = Number(/day=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
  const links = [
    `/calendar?day=${day + 1}`,
    `/calendar?day=${day + 7}`,
    `/calendar?day=${day + 1}&sid=${String(day).padStart(30, '0')}af`,
  ];
  return { headers: TYPE, body: html(`Day ${day}`, links, `Nothing on day ${day}.`) };
}

function pour(response: ServerResponse, bytes: number): undefined {
  response.writeHead(200, TYPE);
  pourInto(response, bytes, FILLING);
}

/** As fast as the client reads. */
function pourInto(
  response: ServerResponse,
  bytes: number,
  filling: Buffer,
  note: (length: number) => void = () => undefined,
): void {
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= filling.length;
      note(filling.length);
      if (!response.write(filling)) return;
    }
    if (left <= 0) response.end();
  };
  response.on('drain', more).on('error', () => undefined);
  more();
}

function drip(response: ServerResponse): undefined {
  response.writeHead(200, TYPE);
  const timer = setInterval(() => response.write('.'), 50);
  response.on('close', () => clearInterval(timer));
}
