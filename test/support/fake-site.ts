import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Identity } from './certificates.js';

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

export type FakePage = FakeAnswer | ((request: IncomingMessage, response: ServerResponse) => FakeAnswer | undefined);

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

/** A web site on a real socket whose pages a test sets, changes and removes. Unknown paths return 404. */
export class FakeSite {
  readonly requests: SeenRequest[] = [];
  private readonly pages = new Map<string, FakePage>();
  private readonly traffic = new EventEmitter();
  private made: (path: string) => FakePage | undefined = () => undefined;
  private unknown: FakePage = { status: 404, body: 'no such page' };
  private readonly server: Server | SecureServer;
  port = 0;

  private constructor(
    private readonly address: string,
    private readonly name: string,
    private readonly identity?: Identity,
  ) {
    const answer = (request: IncomingMessage, response: ServerResponse): void => this.answer(request, response);
    this.server = identity ? createSecureServer({ ...identity }, answer) : createServer(answer);
  }

  /** A name needs an entry in the world's `names`. With an identity it uses TLS. */
  static async start(address = '127.0.0.1', name = address, identity?: Identity): Promise<FakeSite> {
    const site = new FakeSite(address, name, identity);
    await site.listen();
    return site;
  }

  get origin(): string {
    return `${this.identity ? 'https' : 'http'}://${this.name}:${this.port}`;
  }

  url(path: string): string {
    return `${this.origin}${path}`;
  }

  set(path: string, page: FakePage): this {
    this.pages.set(path, page);
    return this;
  }

  /** An HTML page with a title, links to the paths given, and text. */
  page(path: string, links: readonly string[] = [], text = `Text of ${path}.`): this {
    return this.set(path, { headers: { 'content-type': 'text/html; charset=utf-8' }, body: html(path, links, text) });
  }

  /** Sets what unknown paths return instead of 404; robots.txt and guessed sitemaps stay missing. */
  otherwise(page: FakePage): this {
    this.unknown = page;
    for (const path of ['/robots.txt', '/sitemap.xml']) this.pages.set(path, this.pages.get(path) ?? { status: 404 });
    return this;
  }

  /** Creates pages on request. */
  elsewhere(make: (path: string) => FakePage | undefined): this {
    this.made = make;
    return this;
  }

  remove(path: string): this {
    this.pages.delete(path);
    return this;
  }

  /** Requested paths except robots.txt and guessed sitemaps, sorted and unique. */
  get fetched(): string[] {
    const paths = this.requests
      .map((request) => request.path)
      .filter((path) => path !== '/robots.txt' && path !== '/sitemap.xml');
    return [...new Set(paths)].sort();
  }

  /** Stops listening until `comeBack`. */
  async goDown(): Promise<void> {
    await this.close();
  }

  async comeBack(): Promise<void> {
    await this.listen();
  }

  /** Ends all connections: the next request needs a new one. */
  hangUp(): void {
    this.server.closeAllConnections();
  }

  /** Presents another certificate from now on, and closes existing connections. */
  presents(identity: Identity): void {
    if (!('setSecureContext' in this.server)) throw new Error('a site without TLS has no certificate');
    this.server.setSecureContext({ ...identity });
    this.hangUp();
  }

  /** Resolves when that many requests have been made. */
  async untilRequests(count: number): Promise<void> {
    while (this.requests.length < count) await once(this.traffic, 'request');
  }

  forgetRequests(): void {
    this.requests.length = 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, this.address, resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.requests.push({ path, headers: request.headers, at: performance.now() });
    this.traffic.emit('request');
    const page = this.pages.get(path) ?? this.pages.get(path.split('?')[0]!) ?? this.made(path) ?? this.unknown;
    const answer = typeof page === 'function' ? page(request, response) : page;
    if (!answer) return;
    response.writeHead(answer.status ?? 200, { ...answer.headers });
    response.end(answer.body ?? '');
  }
}

/** Bytes that a crawler keeps and delivers, and that take no time to read. */
export const filling = (bytes: number): string => `<!--${'x'.repeat(bytes)}-->`;

export function html(title: string, links: readonly string[], text = ''): string {
  const list = links.map((link) => `<a href="${link}">${link}</a>`).join('\n');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><p>${text}</p>${list}</body></html>`;
}
