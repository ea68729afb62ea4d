import type { FastifyRequest } from 'fastify';
import type { Caller } from '../security/api-keys.js';
import type { ConsoleSessions } from './console-sessions.js';
import type { OidcOptions } from './oidc-options.js';
import { OpenIdProvider } from './openid-provider.js';
import { isOwnPage, sessionToken } from './sign-in-cookies.js';

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
  get secure(): boolean {
    return this.publicUrl?.protocol === 'https:';
  }

  async callerOf(request: FastifyRequest): Promise<Caller | undefined> {
    const token = sessionToken(request, this.secure);
    return token !== undefined && isOwnPage(request) ? this.sessions.callerOf(token) : undefined;
  }

  /** The address that the provider sends browsers to. */
  callback(request: FastifyRequest): URL {
    return this.address('/auth/callback', request);
  }

  /** A path of this server as browsers see it. */
  address(path: string, { headers }: FastifyRequest): URL {
    const base = this.publicUrl ?? URL.parse(`http://${headers.host ?? 'localhost'}`) ?? new URL('http://localhost');
    return new URL(`${base.pathname.replace(/\/$/, '')}${path}`, base.origin);
  }
}
