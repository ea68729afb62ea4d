/**
 * Logins that send the same credentials with every request: Basic, a bearer token, a header, a client certificate, or
 * NTLM credentials.
 */
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import { createBasicAuthorization } from '../../../domain/net/basic-authorization.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { probePage } from './probe.js';

type SteadyDefinition = LoginDefinitionOf<'basic' | 'bearer' | 'header' | 'certificate' | 'ntlm'>;

export class SteadyLogin implements LoginMethod {
  /** Whether the page to check could be read with the login. */
  private wasReadable = false;

  constructor(private readonly definition: SteadyDefinition) {}

  /** Some sites answer with 403 or 404, not with 401, when a token has been revoked. */
  async login(tools: LoginTools): Promise<LoginResult> {
    const { name, check } = this.definition;
    const session = { ...this.getSession(), login: name };
    const { result, status } = await probePage(tools, { url: check, session, schemes: SCHEMES[this.definition.type] });
    if (result.kind === 'in' && status >= 400 && this.wasReadable)
      return { kind: 'refused', detail: `${check} could be read before, but now responds with ${status}` };
    this.wasReadable ||= result.kind === 'in' && status < 400;
    return result;
  }

  verify(tools: LoginTools): Promise<LoginResult> {
    return this.login(tools);
  }

  getSession(): RequestSession {
    const { definition } = this;
    switch (definition.type) {
      case 'certificate':
        return { certificate: { certificate: definition.certificate, key: definition.key.reveal() } };
      case 'ntlm': {
        return { ntlm: { ...parseWindowsUser(definition), password: definition.password.reveal() } };
      }
      case 'bearer':
        return { headers: { authorization: `Bearer ${definition.token.reveal()}` } };
      case 'header':
        return { headers: { [definition.header.toLowerCase()]: definition.value.reveal() } };
      default:
        return { headers: { authorization: createBasicAuthorization(definition.user, definition.password.reveal()) } };
    }
  }

  judgeResponse({ status }: SessionAnswer): SessionVerdict {
    return status === 401 ? 'ended' : 'fine';
  }
}

const SCHEMES: Readonly<Partial<Record<SteadyDefinition['type'], readonly string[]>>> = {
  basic: ['basic'],
  bearer: ['bearer'],
  ntlm: ['ntlm', 'negotiate'],
};

/** Splits a user name of the form `DOMAIN\user`, unless the domain is set separately. */
function parseWindowsUser({ user, domain }: LoginDefinitionOf<'ntlm'>): { user: string; domain: string } {
  const backslash = user.indexOf('\\');
  if (domain !== undefined || backslash < 0) return { user, domain: domain ?? '' };
  return { user: user.slice(backslash + 1), domain: user.slice(0, backslash) };
}
