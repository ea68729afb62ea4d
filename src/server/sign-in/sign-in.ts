import type { FastifyRequest } from 'fastify';
import type { Caller } from '../security/api-keys.js';
import type { ConsoleSessions } from './console-sessions.js';
import type { OidcOptions } from './oidc-options.js';
import { OpenIdProvider } from './openid-provider.js';
import { isSameOriginRequest, readSessionToken } from './sign-in-cookies.js';

/** Sign-in of people, if the operator has configured it. */
export class SignIn {
  readonly provider: OpenIdProvider;
  readonly label: string;

  constructor(
    options: OidcOptions,
    readonly sessions: ConsoleSessions,
    /** Where browsers find this server; absent: as the request says. */
    private readonly publicUrl?: URL,
  ) {
    this.provider = new OpenIdProvider(options);
    this.label = options.label;
  }

  /** Whether browsers speak TLS with it. */
  get isSecure(): boolean {
    return this.publicUrl?.protocol === 'https:';
  }

  async findCaller(request: FastifyRequest): Promise<Caller | undefined> {
    const token = readSessionToken(request, this.isSecure);
    return token !== undefined && isSameOriginRequest(request) ? this.sessions.findCaller(token) : undefined;
  }

  /** The address that the provider sends browsers to. */
  createCallbackUrl(request: FastifyRequest): URL {
    return this.createPublicAddress('/auth/callback', request);
  }

  /** A path of this server as browsers see it. */
  createPublicAddress(path: string, { headers }: FastifyRequest): URL {
    const base = this.publicUrl ?? URL.parse(`http://${headers.host ?? 'localhost'}`) ?? new URL('http://localhost');
    return new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base.origin);
  }
}
