import type { OAuth2Login } from '../../../domain/crawl/logins.js';
import type { FetchOutcome } from '../../../domain/fetch/outcome.js';
import { after, seconds } from '../../../domain/time/units.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { createBasicAuthorization } from './steady-login.js';

const LONGEST_TOKEN = 16_384;
const SMALL_ANSWER = 256 * 1024;
/** Assumed lifetime of a token if the server does not state one. */
const UNTOLD_LIFE = seconds(3600);
const DAY = 86_400;

/** The client credentials grant (RFC 6749, 4.4): requests carry a token, which is renewed before it expires. */
export class OAuth2Client implements LoginMethod {
  private token: string | undefined;

  constructor(private readonly definition: OAuth2Login) {}

  async login(tools: LoginTools): Promise<LoginResult> {
    const { tokenUrl } = this.definition;
    const answer = await tools.fetch(this.buildRequest());
    if (answer.kind === 'failure') {
      tools.report({ what: 'requested a token', url: tokenUrl, detail: `${answer.code}: ${answer.detail}` });
      return { kind: 'unreachable', detail: `the token endpoint ${tokenUrl} could not be reached: ${answer.detail}` };
    }
    const body = parseObject(answer.body);
    const told = typeof body['error'] === 'string' ? body['error'].slice(0, 200) : undefined;
    tools.report({ what: 'requested a token', url: tokenUrl, status: answer.status, detail: told });
    return this.toLoginResult(answer, body, told, tools);
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
      maxSize: SMALL_ANSWER,
      session: { login: name, headers },
    };
  }

  private toLoginResult(
    { status }: Extract<FetchOutcome, { kind: 'response' }>,
    body: Readonly<Record<string, unknown>>,
    told: string | undefined,
    tools: LoginTools,
  ): LoginResult {
    const { tokenUrl } = this.definition;
    const said = `the token endpoint ${tokenUrl} responded with ${status}${told === undefined ? '' : ` (${told})`}`;
    if (status === 401 || told === 'invalid_client' || told === 'unauthorized_client')
      return { kind: 'refused', detail: `${said}: the client or its secret is wrong` };
    if (status === 429 || status >= 500) return { kind: 'unreachable', detail: said };
    const token = body['access_token'];
    if (status !== 200 || typeof token !== 'string' || token === '' || token.length > LONGEST_TOKEN)
      return { kind: 'changed', detail: `${said} without an access_token` };
    this.token = token;
    const life = Number(body['expires_in']);
    const lasts = Number.isFinite(life) && life > 0 ? seconds(Math.min(life, DAY)) : UNTOLD_LIFE;
    return { kind: 'in', until: after(tools.now(), lasts) };
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
