/** Hosts whose pages cost a crawler as much as possible, each in a different way. All pages of a host are alike. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export const HOSTILE_ADDRESS = '127.0.2.1';

const PAGES_LINKED = 50;
const LINKS = 100_000;
const DEPTH = 100_000;
const RULES = 30_000;

type ServePage = (path: string, response: ServerResponse) => void;

interface Hostility {
  readonly servePage: ServePage;
  readonly robots?: string;
}

const renderLinks = (path: string): string =>
  Array.from({ length: PAGES_LINKED }, (_, i) => `<a href="${path.length < 200 ? path : '/'}${i}/">${i}</a>`).join(' ');

/** Serves a compressed body that is created once per path length, since the crawler is measured and not the site. */
function serveCompressed(body: string): ServePage {
  const bodies = new Map<string, Buffer>();
  return (path, response) => {
    const key = String(path.length);
    const bytes = bodies.get(key) ?? gzipSync(`<!doctype html><title>${path}</title>${renderLinks(path)}${body}`);
    bodies.set(key, bytes);
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bytes);
  };
}

const servePlain: ServePage = (path, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${path}</title>${renderLinks(path)}`);

export const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'a type of 90,000 blanks': {
    servePage: serveCompressed(`<link rel=alternate href=/x type="${' '.repeat(90_000)}">`),
  },
  'attributes of 2 MB': { servePage: serveCompressed(`<link rel=alternate href=/x type="${' '.repeat(2_000_000)}">`) },
  '100,000 links': {
    servePage: serveCompressed(Array.from({ length: LINKS }, (_, i) => `<a href="/many/${i}">${i}</a>`).join('')),
  },
  '100,000 elements deep': { servePage: serveCompressed(`${'<div>'.repeat(DEPTH)}deep${'</div>'.repeat(DEPTH)}`) },
  'a drip every 200 ms': {
    servePage: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('.'), 200);
      response.on('close', () => clearInterval(timer));
    },
  },
  'robots.txt of 30,000 patterns': {
    servePage: servePlain,
    robots: `User-agent: *\n${Array.from({ length: RULES }, (_, i) => `Disallow: /*a${i}*b${i % 7}*c$`).join('\n')}\n`,
  },
  'redirects without end': {
    servePage: (path, response) => {
      if (path === '/') servePlain(path, response);
      else response.writeHead(302, { location: `${path}x` }).end();
    },
  },
  'headers of 60 KB': {
    servePage: (path, response) => {
      for (let i = 0; i < 15; i++) response.setHeader(`x-${i}`, 'and another one '.repeat(256));
      servePlain(path, response);
    },
  },
  'a bomb of 64 MB': {
    servePage: (() => {
      const bomb = gzipSync(Buffer.alloc(64 << 20));
      return (path: string, response: ServerResponse) => {
        if (path === '/') servePlain(path, response);
        else response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb);
      };
    })(),
  },
};

export async function startHostileHost(kind: string): Promise<{ readonly url: string }> {
  const hostility = HOSTILITIES[kind];
  if (!hostility)
    throw new Error(`unknown kind of hostile host ${kind}; choose one of: ${Object.keys(HOSTILITIES).join('; ')}`);
  const { servePage, robots } = hostility;
  const server = createServer({ maxHeaderSize: 1 << 20 }, (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt' && robots !== undefined)
      response.writeHead(200, { 'content-type': 'text/plain' }).end(robots);
    else if (path === '/robots.txt' || path === '/sitemap.xml') response.writeHead(404).end();
    else servePage(path, response);
  });
  await new Promise<void>((resolve) => server.listen(0, HOSTILE_ADDRESS, resolve));
  return { url: `http://${HOSTILE_ADDRESS}:${(server.address() as AddressInfo).port}/` };
}
