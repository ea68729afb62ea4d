import type { FastifyRequest } from 'fastify';
import type { SessionStore } from '../../engine/ports/administration.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { Caller } from '../security/api-keys.js';
import { ConsoleSessions } from './console-sessions.js';
import type { OidcOptions } from './oidc-options.js';
import { OpenIdProvider } from './openid-provider.js';
import { isSameOriginRequest, readSessionToken } from './sign-in-cookies.js';

/** Lets people sign in, if the operator has configured it. */
export class SignIn {
  readonly provider: OpenIdProvider;
  readonly sessions: ConsoleSessions;
  readonly label: string;
  readonly roleClaim: string;

  constructor(
    options: OidcOptions,
    clock: Clock,
    store: SessionStore,
    /** URL at which browsers reach this server. Absent: derived from the Host header of each request. */
    private readonly publicUrl?: URL,
  ) {
    this.provider = new OpenIdProvider(options, clock);
    this.sessions = new ConsoleSessions(store, clock, (grant) => this.provider.confirm(grant));
    this.roleClaim = options.roleClaim;
    this.label = options.label;
  }

  onApplicationShutdown(): void {
    this.sessions.close();
  }

  /** Whether browsers reach this server over TLS. */
  get isSecure(): boolean {
    return this.publicUrl?.protocol === 'https:';
  }

  async findCaller(request: FastifyRequest): Promise<Caller | undefined> {
    const token = readSessionToken(request, this.isSecure);
    return token !== undefined && isSameOriginRequest(request) ? this.sessions.findCaller(token) : undefined;
  }

  /** The address to which the provider sends browsers back. */
  createCallbackUrl(request: FastifyRequest): URL {
    return this.createPublicUrl('/auth/callback', request);
  }

  /** The URL of a path of this server as browsers see it. */
  createPublicUrl(path: string, { headers }: FastifyRequest): URL {
    const base = this.publicUrl ?? URL.parse(`http://${headers.host ?? 'localhost'}`) ?? new URL('http://localhost');
    return new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base.origin);
  }
}
