/** A members' site on a real socket with well-known session middleware: three kinds of login, and pages that require it. */
import { randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import session from '@fastify/session';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { onTestFinished } from 'vitest';
import { html } from './fake-site.js';

declare module 'fastify' {
  interface Session {
    user?: string;
    asked?: string;
    token?: string;
  }
}

export interface MemberSiteOptions {
  /** csrf: one form with a token in a hidden field; json: fields as JSON; steps: the name first, then the password. */
  readonly kind: 'csrf' | 'json' | 'steps';
  readonly pages: readonly string[];
}

export class MemberSite {
  readonly user = 'robot';
  password = 'right';
  /** Passwords that were sent, right or wrong. */
  readonly tried: string[] = [];
  readonly fetched: string[] = [];
  /** Changes the login page. */
  rebuilt = false;
  locked = false;
  private epoch = 0;
  private readonly server: FastifyInstance = fastify();
  origin = '';

  private constructor(private readonly options: MemberSiteOptions) {}

  static async start(options: MemberSiteOptions): Promise<MemberSite> {
    const site = new MemberSite(options);
    await site.open();
    onTestFinished(() => site.server.close());
    return site;
  }

  url(path: string): string {
    return `${this.origin}${path}`;
  }

  /** Ends all sessions. */
  endSessions(): void {
    this.epoch++;
  }

  private async open(): Promise<void> {
    const { server } = this;
    await server.register(cookie);
    await server.register(session, {
      secret: randomBytes(32).toString('hex'),
      cookie: { secure: false },
      cookieName: 'sid',
    });
    server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    server.get('/login', (request, reply) => this.loginPage(request, reply));
    server.post('/login', (request, reply) => this.post(request, reply));
    server.get('/logout', async (request, reply) => {
      await request.session.destroy();
      return reply.redirect('/login');
    });
    server.get('/robots.txt', (_request, reply) => reply.code(404).send());
    server.get('/*', (request, reply) => this.page(request, reply));
    this.origin = await server.listen({ port: 0, host: '127.0.0.1' });
  }

  private page(request: FastifyRequest, reply: FastifyReply) {
    const path = request.url;
    this.fetched.push(path);
    if (request.session.user !== `${this.user} ${this.epoch}`) return reply.redirect('/login');
    const { pages } = this.options;
    if (!pages.includes(path)) return reply.code(404).send('no such page');
    const links = path === pages[0] ? [...pages.slice(1), '/logout', '/login'] : [];
    return reply.type('text/html').send(html(path, links, `Members read ${path}.`));
  }

  private loginPage(request: FastifyRequest, reply: FastifyReply) {
    const token = randomBytes(8).toString('hex');
    request.session.token = token;
    const fields = this.rebuilt ? ['mail', 'word'] : this.fieldsOf(request);
    const inputs = fields.map((name) => `<input name="${name}" type="${name === 'pass' ? 'password' : 'text'}">`);
    const form = `<form id="login" method="post" action="/login"><input type="hidden" name="csrf" value="${token}">${inputs.join('')}<button name="go" value="1">Enter</button></form>`;
    return reply
      .type('text/html')
      .send(`<!doctype html><title>Login</title><form id="search"><input name="q"></form>${form}`);
  }

  private fieldsOf(request: FastifyRequest): string[] {
    if (this.options.kind !== 'steps') return ['user', 'pass'];
    return request.session.asked === undefined ? ['user'] : ['pass'];
  }

  private post(request: FastifyRequest, reply: FastifyReply) {
    const body = request.body as Readonly<Record<string, string>>;
    if (this.options.kind !== 'json' && body['csrf'] !== request.session.token) return reply.code(403).send('forged');
    if (this.options.kind === 'steps' && body['user'] !== undefined) {
      request.session.asked = body['user'];
      return reply.redirect('/login');
    }
    const user = body['user'] ?? request.session.asked;
    const pass = body['pass'] ?? '';
    this.tried.push(pass);
    if (this.locked) return reply.type('text/html').send('<p>This account is locked.</p>');
    if (user !== this.user || pass !== this.password)
      return reply.type('text/html').send('<p class="error">Wrong name or password.</p>');
    request.session.user = `${user} ${this.epoch}`;
    if (this.options.kind === 'json') return { ok: true };
    return reply.redirect(this.options.pages[0] ?? '/');
  }
}
