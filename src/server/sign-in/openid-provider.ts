import { createHash } from 'node:crypto';
import type { Configuration } from 'openid-client';
import { readBounded } from '../../domain/net/read-bounded.js';
import { after, type Instant, seconds } from '../../domain/time/units.js';
import type { Clock } from '../../engine/ports/clock.js';
import type { RoleGrant } from '../security/api-keys.js';
import { containsRoles, findGrants, type OidcOptions } from './oidc-options.js';

/** Data that the browser keeps until the provider sends it back. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Console path that the user wanted to open. */
  readonly to: string;
}

export interface Person {
  readonly issuer: string;
  readonly name: string;
  /** The roles that the claims grant; may be empty. */
  readonly roles: readonly RoleGrant[];
  /** Names of the claims that the provider sent. */
  readonly claims: readonly string[];
  readonly grant: Grant;
}

/** With what the provider can be asked later whether the person may still sign in; secret, and only kept in memory. */
export interface Grant {
  /** The provider's identifier of the person, which no other one has. */
  readonly subject: string;
  readonly idToken?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** The claim with the roles, if only the ID token has it: the userinfo endpoint then says nothing about roles. */
  readonly idTokenRoles?: Readonly<Record<string, unknown>>;
}

/** `refused`: the provider does not know the person any more. Only a grant: it cannot be asked; use this to ask again. */
export type Confirmation = Person | 'refused' | Pick<Person, 'grant'>;

/** How long a failed discovery is remembered: whoever tries to sign in meanwhile must not make more requests. */
const DISCOVERY_RETRY_DELAY = seconds(10);
const MAX_NAME_LENGTH = 64;

/** Authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636). */
export class OpenIdProvider {
  private configuration: Promise<Configuration> | undefined;
  /** When the configuration is read again, because it could not be, or may be out of date. */
  private retryAt: Instant | undefined;
  /** Refresh tokens that the provider has sent, by the one that each replaces, until they are part of a grant. */
  private readonly nextRefreshTokens = new Map<string, string>();

  constructor(
    private readonly options: OidcOptions,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** Rejects if the provider is not responding. */
  async beginSignIn(
    redirectUri: string,
    returnPath: string,
  ): Promise<{ readonly url: URL; readonly pending: PendingSignIn }> {
    const client = await import('openid-client');
    const configuration = await this.getConfiguration();
    const pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      to: returnPath,
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.options.scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    return { url, pending };
  }

  /**
   * Rejects unless the response belongs to this sign-in. @param callbackUrl the URL to which the provider sent the browser
   */
  async finishSignIn(callbackUrl: URL, { state, nonce, verifier }: PendingSignIn): Promise<Person> {
    const client = await import('openid-client');
    const configuration = await this.getConfiguration();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const tokens = await client.authorizationCodeGrant(configuration, callbackUrl, checks).catch((error: unknown) => {
      // The provider may have new keys or moved its endpoints.
      if (!(error instanceof client.ResponseBodyError)) this.retryAt ??= after(this.clock.now(), DISCOVERY_RETRY_DELAY);
      throw error;
    });
    const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = tokens;
    const claims = { ...tokens.claims() };
    return this.readPerson(claims, { subject: String(claims['sub']), idToken, accessToken, refreshToken });
  }

  /** Asks whether the person may still sign in, and with which role. Never rejects. */
  async confirm(grant: Grant): Promise<Confirmation> {
    const client = await import('openid-client');
    const { refreshToken, accessToken, idTokenRoles = {} } = grant;
    try {
      const configuration = await this.getConfiguration();
      const canAsk = accessToken !== undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
      if (refreshToken === undefined) return canAsk ? await this.readPerson(idTokenRoles, grant) : { grant };
      const tokens = await client.refreshTokenGrant(configuration, refreshToken);
      return await this.readPerson(
        { ...(tokens.claims() ?? idTokenRoles) },
        {
          subject: grant.subject,
          idToken: tokens.id_token ?? grant.idToken,
          accessToken: tokens.access_token,
          refreshToken: tokens.refresh_token ?? refreshToken,
        },
      );
    } catch (error) {
      const isAnswer =
        error instanceof client.ResponseBodyError || error instanceof client.WWWAuthenticateChallengeError;
      if (isAnswer && error.status < 500 && error.status !== 429) return 'refused';
      // Many providers accept a refresh token once, and what failed may have come after it was used.
      return { grant: { ...grant, refreshToken: this.nextRefreshTokens.get(refreshToken ?? '') ?? refreshToken } };
    } finally {
      this.nextRefreshTokens.delete(refreshToken ?? '');
    }
  }

  /** The URL at which the provider ends its own session, too; undefined if it has none. */
  async createSignOutUrl(grant: Grant | undefined, returnUrl: string): Promise<URL | undefined> {
    const client = await import('openid-client');
    const configuration = await this.getConfiguration().catch(() => undefined);
    if (configuration?.serverMetadata().end_session_endpoint === undefined) return undefined;
    return client.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: returnUrl,
      ...(grant?.idToken === undefined ? {} : { id_token_hint: grant.idToken }),
    });
  }

  /** Many providers return groups and names only from the userinfo endpoint. */
  private async readPerson(idClaims: Readonly<Record<string, unknown>>, grant: Grant): Promise<Person> {
    const client = await import('openid-client');
    const configuration = await this.getConfiguration();
    const { subject, accessToken } = grant;
    const canAsk = configuration.serverMetadata().userinfo_endpoint !== undefined && accessToken !== undefined;
    const info: object = canAsk ? await client.fetchUserInfo(configuration, accessToken, subject) : {};
    const claims: Record<string, unknown> = { ...idClaims, ...info };
    const roles = findGrants(claims, this.options);
    const { issuer, roleClaim } = this.options;
    const names = Object.keys(idClaims).filter((name) => containsRoles(name, roleClaim) && !(name in info));
    const idTokenRoles =
      names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, idClaims[name]]));
    return {
      issuer: issuer.href,
      name: findUserName(claims, subject),
      roles,
      claims: Object.keys(claims),
      grant: { ...grant, idTokenRoles },
    };
  }

  /** A failure is remembered for a short while only, because the provider may recover. */
  private getConfiguration(): Promise<Configuration> {
    if (this.retryAt !== undefined && this.clock.now() >= this.retryAt) {
      this.configuration = undefined;
      this.retryAt = undefined;
    }
    this.configuration ??= this.discover().catch((error: unknown) => {
      this.retryAt = after(this.clock.now(), DISCOVERY_RETRY_DELAY);
      throw error;
    });
    return this.configuration;
  }

  private async discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.options;
    const secret = clientSecret?.reveal();
    return client.discovery(issuer, clientId, secret, secret === undefined ? client.None() : undefined, {
      [client.customFetch]: async (url, request) => {
        const response = await fetchBounded(url, request);
        const refreshToken = request.body instanceof URLSearchParams && request.body.get('refresh_token');
        if (!refreshToken || !response.ok) return response;
        const { refresh_token: next }: { refresh_token?: unknown } = Object(await response.clone().json());
        if (typeof next === 'string') this.nextRefreshTokens.set(refreshToken, next);
        return response;
      },
      // The signature of an ID token is checked although it comes straight from the provider, because the connection may
      // end at a proxy. allowInsecureRequests is only for a provider on this machine; see readOidcOptions.
      execute: [
        client.enableNonRepudiationChecks,
        ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    });
  }
}

/**
 * `user:` distinguishes people from keys, whose names contain no colon. At many providers people choose their user name,
 * so the subject, which the provider gives once only, follows it unless they are the same.
 */
function findUserName(claims: Readonly<Record<string, unknown>>, subject: string): string {
  const userName = [claims['preferred_username'], claims['email']].find(
    (claim) => typeof claim === 'string' && claim !== '',
  );
  const name = toPrintableName(String(userName ?? subject));
  if (name === subject) return `user:${name}`;
  // A subject may have 255 characters (OpenID Connect Core 1.0, section 2).
  const printableSubject = toPrintableName(subject);
  const isShown = printableSubject === subject;
  return `user:${name}#${isShown ? subject : createHash('sha256').update(subject).digest('hex').slice(0, 16)}`;
}

const toPrintableName = (text: string): string =>
  text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]/gu, '_').slice(0, MAX_NAME_LENGTH);

/** Maximum bytes of a response of the identity provider; discovery documents and key sets have a few kilobytes. */
const MAX_RESPONSE_BYTES = 1 << 20;
const TIMEOUT_MS = 10_000;

interface RequestOptions {
  readonly body?: ArrayBuffer | null | ReadableStream | string | Uint8Array | undefined | FormData | URLSearchParams;
  readonly headers: Record<string, string>;
  readonly method: string;
}

/**
 * Requests a URL of the identity provider. Everything about the response is limited, because anybody can begin a
 * sign-in: its size, the time until its end, and its redirects, of which none is followed.
 * @throws RangeError if the response is too long
 */
async function fetchBounded(url: string, options: RequestOptions): Promise<Response> {
  const { method, headers, body } = options;
  const response = await fetch(url, {
    method,
    headers,
    body: body as RequestInit['body'],
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { status, statusText, headers: responseHeaders } = response;
  const { bytes, truncated } = await readBounded(response.body, MAX_RESPONSE_BYTES);
  if (truncated)
    throw new RangeError(`the response of ${new URL(url).origin} is longer than ${MAX_RESPONSE_BYTES} bytes`);
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  return new Response(hasBody ? bytes : null, { status, statusText, headers: responseHeaders });
}
