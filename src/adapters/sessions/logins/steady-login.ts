/**
 * Logins that send the same credentials with every request: Basic, a bearer token, a header, a client certificate, or
 * NTLM credentials.
 */
import type { CertificateLogin, HeaderLogin, NtlmLogin, PasswordLogin } from '../../../domain/crawl/logins.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { probePage } from './probe.js';

type SteadyDefinition = PasswordLogin | HeaderLogin | CertificateLogin | NtlmLogin;

export class SteadyLogin implements LoginMethod {
  constructor(private readonly definition: SteadyDefinition) {}

  login(tools: LoginTools): Promise<LoginResult> {
    const { name, check } = this.definition;
    const session = { ...this.getSession(), login: name };
    return probePage(tools, { url: check, session, schemes: SCHEMES[this.definition.type] });
  }

  getSession(): RequestSession {
    const { definition } = this;
    switch (definition.type) {
      case 'certificate':
        return { certificate: { certificate: definition.certificate, key: definition.key.reveal() } };
      case 'ntlm': {
        const { user, password, domain } = definition;
        return { ntlm: { user, password: password.reveal(), domain } };
      }
      case 'bearer':
      case 'header':
        return { headers: { [definition.header]: definition.value.reveal() } };
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

/** Basic authentication (RFC 7617) in UTF-8. */
export const createBasicAuthorization = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
