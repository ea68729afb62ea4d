/** Hosts that cost a crawler as much as one page can, each in one way of its own; every page of one is alike and links to the next. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export const HOSTILE_ADDRESS = '127.0.2.1';

const PAGES_LINKED = 50;
const LINKS = 100_000;
const DEPTH = 100_000;
const RULES = 30_000;

type Page = (path: string, response: ServerResponse) => void;

interface Hostility {
  readonly page: Page;
  readonly robots?: string;
}

const links = (path: string): string =>
  Array.from({ length: PAGES_LINKED }, (_, i) => `<a href="${path.length < 200 ? path : '/'}${i}/">${i}</a>`).join(' ');

/** A body made once, since what is measured is the crawler; the links differ from page to page. */
function compressed(body: string): Page {
  const parts = new Map<string, Buffer>();
  return (path, response) => {
    const key = String(path.length);
    const bytes = parts.get(key) ?? gzipSync(`<!doctype html><title>${path}</title>${links(path)}${body}`);
    parts.set(key, bytes);
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bytes);
  };
}

const plain: Page = (path, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${path}</title>${links(path)}`);

export const HOSTILITIES: Readonly<Record<string, Hostility>> = {
  'a type of 90,000 blanks': { page: compressed(`<link rel=alternate href=/x type="${' '.repeat(90_000)}">`) },
  'attributes of 2 MB': { page: compressed(`<link rel=alternate href=/x type="${' '.repeat(2_000_000)}">`) },
  '100,000 links': {
    page: compressed(Array.from({ length: LINKS }, (_, i) => `<a href="/many/${i}">${i}</a>`).join('')),
  },
  '100,000 elements deep': { page: compressed(`${'<div>'.repeat(DEPTH)}deep${'</div>'.repeat(DEPTH)}`) },
  'a drip every 200 ms': {
    page: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const timer = setInterval(() => response.write('.'), 200);
      response.on('close', () => clearInterval(timer));
    },
  },
  'robots.txt of 30,000 patterns': {
    page: plain,
    robots: `User-agent: *\n${Array.from({ length: RULES }, (_, i) => `Disallow: /*a${i}*b${i % 7}*c$`).join('\n')}\n`,
  },
  'redirects without end': {
    page: (path, response) => {
      if (path === '/') plain(path, response);
      else response.writeHead(302, { location: `${path}x` }).end();
    },
  },
  'headers of 60 KB': {
    page: (path, response) => {
      for (let i = 0; i < 15; i++) response.setHeader(`x-${i}`, 'and another one '.repeat(256));
      plain(path, response);
    },
  },
  'a bomb of 64 MB': {
    page: (() => {
      const bomb = gzipSync(Buffer.alloc(64 << 20));
      return (path: string, response: ServerResponse) => {
        if (path === '/') plain(path, response);
        else response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb);
      };
    })(),
  },
};

export async function startHostileHost(kind: string): Promise<{ readonly url: string }> {
  const hostility = HOSTILITIES[kind];
  if (!hostility)
    throw new Error(`no hostile host has the name ${kind}; choose one of ${Object.keys(HOSTILITIES).join('; ')}`);
  const { page, robots } = hostility;
  const server = createServer({ maxHeaderSize: 1 << 20 }, (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    if (path === '/robots.txt' && robots !== undefined)
      response.writeHead(200, { 'content-type': 'text/plain' }).end(robots);
    else if (path === '/robots.txt' || path === '/sitemap.xml') response.writeHead(404).end();
    else page(path, response);
  });
  await new Promise<void>((resolve) => server.listen(0, HOSTILE_ADDRESS, resolve));
  return { url: `http://${HOSTILE_ADDRESS}:${(server.address() as AddressInfo).port}/` };
}
