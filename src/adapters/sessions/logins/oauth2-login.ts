import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { createBasicAuthorization } from '../../../domain/net/basic-authorization.js';
import { after, seconds } from '../../../domain/time/units.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';

const MAX_TOKEN_LENGTH = 16_384;
const MAX_RESPONSE_SIZE = 256 * 1024;
/** Assumed lifetime of a token if the server does not state one. */
const DEFAULT_LIFETIME = seconds(3600);
const DAY_SECONDS = 86_400;

/** The client credentials grant (RFC 6749, 4.4): requests carry a token, which is renewed before it expires. */
export class OAuth2Client implements LoginMethod {
  private token: string | undefined;

  constructor(private readonly definition: LoginDefinitionOf<'oauth2'>) {}

  async login(tools: LoginTools): Promise<LoginResult> {
    const { tokenUrl } = this.definition;
    const outcome = await tools.fetch(this.buildRequest());
    if (outcome.kind === 'failure') {
      tools.report({ what: 'requested a token', url: tokenUrl, detail: `${outcome.code}: ${outcome.detail}` });
      return { kind: 'unreachable', detail: `the token endpoint ${tokenUrl} could not be reached: ${outcome.detail}` };
    }
    const body = parseObject(outcome.body);
    const errorCode = typeof body['error'] === 'string' ? body['error'].slice(0, 200) : undefined;
    tools.report({ what: 'requested a token', url: tokenUrl, status: outcome.status, detail: errorCode });
    return this.toLoginResult(outcome, body, errorCode, tools);
  }

  getSession(): RequestSession {
    return this.token === undefined ? {} : { headers: { authorization: `Bearer ${this.token}` } };
  }

  judgeResponse({ status }: SessionAnswer): SessionVerdict {
    return status === 401 ? 'ended' : 'fine';
  }

  private buildRequest(): Parameters<LoginTools['fetch']>[0] {
    const { tokenUrl, clientId, clientSecret, scope, audience, clientAuthentication, name } = this.definition;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (scope !== undefined) form.set('scope', scope);
    if (audience !== undefined) form.set('audience', audience);
    const headers: Record<string, string> = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    };
    if (clientAuthentication === 'body') {
      form.set('client_id', clientId);
      form.set('client_secret', clientSecret.reveal());
      // RFC 6749, 2.3.1: id and secret are form-encoded before they are joined.
    } else
      headers['authorization'] = createBasicAuthorization(
        encodeURIComponent(clientId),
        encodeURIComponent(clientSecret.reveal()),
      );
    return {
      url: tokenUrl,
      method: 'POST',
      body: Buffer.from(form.toString()),
      maxSize: MAX_RESPONSE_SIZE,
      session: { login: name, headers },
    };
  }

  private toLoginResult(
    { status }: Extract<FetchOutcome, { kind: 'response' }>,
    body: Readonly<Record<string, unknown>>,
    errorCode: string | undefined,
    tools: LoginTools,
  ): LoginResult {
    const { tokenUrl } = this.definition;
    const summary = `the token endpoint ${tokenUrl} responded with ${status}${errorCode === undefined ? '' : ` (${errorCode})`}`;
    if (status === 401 || errorCode === 'invalid_client' || errorCode === 'unauthorized_client')
      return { kind: 'refused', detail: `${summary}: the client or its secret is wrong` };
    if (status === 429 || status >= 500) return { kind: 'unreachable', detail: summary };
    const token = body['access_token'];
    if (status !== 200 || typeof token !== 'string' || token === '' || token.length > MAX_TOKEN_LENGTH)
      return { kind: 'changed', detail: `${summary} without an access_token` };
    this.token = token;
    const expiresIn = Number(body['expires_in']);
    const lifetime =
      Number.isFinite(expiresIn) && expiresIn > 0 ? seconds(Math.min(expiresIn, DAY_SECONDS)) : DEFAULT_LIFETIME;
    return { kind: 'in', until: after(tools.now(), lifetime) };
  }
}

function parseObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
