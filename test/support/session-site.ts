/**
 * A site of members on a real socket, with a form and sessions on the server. How it answers requests without a session,
 * and which pages it has, is up to the test.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { html } from './fake-site.js';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

export interface SessionSiteOptions {
  /** Path and query of the page with the form, to which the form is also sent. */
  readonly loginPath?: string;
  readonly form?: string;
  /** Where a member goes after the login. */
  readonly start?: string;
  /** What a member sees; by default, pages `/p0` to `/p5` that link to each other. */
  readonly member?: (path: string, site: SessionSite) => Answer | undefined;
  /** What anybody else sees; by default, a redirect to the form. */
  readonly stranger?: (path: string, site: SessionSite) => Answer;
  /** What the site answers to anybody, before it looks for a session. */
  readonly anybody?: (path: string, site: SessionSite, request: IncomingMessage) => Answer | undefined;
}

export const PATHS = ['/', '/p1', '/p2', '/p3', '/p4', '/p5'];

const FORM = '<form method="post"><input name="u"><input type="password" name="p"><button>go</button></form>';

export class SessionSite {
  /** Number of logins with the right password, and of those with a wrong one. */
  logins = 0;
  refused = 0;
  password = 'right';
  readonly requests: string[] = [];
  readonly sessions = new Set<string>();
  origin = '';

  private constructor(private readonly options: SessionSiteOptions) {}

  static async start(options: SessionSiteOptions = {}): Promise<SessionSite> {
    const site = new SessionSite(options);
    const server = createServer((request, response) => void site.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return site;
  }

  url(path: string): string {
    return `${this.origin}${path}`;
  }

  get loginPath(): string {
    return this.options.loginPath ?? '/login';
  }

  get form(): string {
    return this.options.form ?? FORM;
  }

  endSessions(): void {
    this.sessions.clear();
  }

  /** The `cw:Fetcher` with a login for the site. */
  fetcher(attributes = ''): string {
    return `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${this.login(attributes)}</cw:Fetcher>`;
  }

  login(attributes = '', page = this.url(this.loginPath)): string {
    const values = /\bpage=/.test(attributes) ? '' : `page="${page.replaceAll('&', '&amp;')}"`;
    return `<cw:Login name="site" type="form" insecure="true" url="${this.url('/')}" ${values} user="robot" password="right" ${attributes}/>`;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (path === '/robots.txt') return send(response, { status: 404 });
    this.requests.push(`${request.method} ${path}`);
    const sid = /(?:^|;\s*)sid=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
    send(response, this.answer(request, path, body, this.sessions.has(sid)));
  }

  private answer(request: IncomingMessage, path: string, body: string, isMember: boolean): Answer {
    const own = this.options.anybody?.(path, this, request);
    if (own) return own;
    if (request.method === 'POST') return this.logIn(new URLSearchParams(body));
    if (path.split('?')[0] === this.loginPath) return { body: `<title>Log in</title>${this.form}` };
    if (path === this.loginPath) return { body: `<title>Log in</title>${this.form}` };
    if (!isMember) return this.options.stranger?.(path, this) ?? { status: 302, headers: { location: this.loginPath } };
    return (this.options.member ?? showPage)(path, this) ?? { status: 404, body: 'no such page' };
  }

  private logIn(form: URLSearchParams): Answer {
    if (form.get('u') !== 'robot' || form.get('p') !== this.password) {
      this.refused++;
      return { status: 200, body: `<title>Log in</title><p>Wrong password.</p>${this.form}` };
    }
    this.logins++;
    const id = randomUUID();
    this.sessions.add(id);
    const cookie = `sid=${id}; Path=/; HttpOnly`;
    return { status: 302, headers: { location: this.options.start ?? '/', 'set-cookie': cookie } };
  }
}

export const showPage = (path: string): Answer | undefined =>
  PATHS.includes(path) ? { body: html(path, PATHS, `Members read ${path}. `.repeat(10)) } : undefined;

function send(response: ServerResponse, { status = 200, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers } as Record<string, string>);
  response.end(body ?? '');
}
