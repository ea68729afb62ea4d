import type { LoginType } from '../../../domain/crawl/login-types.js';
import type { LoginDefinition, LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import { collectSecrets, createSecretFilter } from '../../../domain/hide-secrets.js';
import type { LoginMethod, LoginTools } from '../../../engine/ports/login-method.js';
import { BrowserLoginSession } from './browser-login.js';
import { DigestLogin } from './digest-login.js';
import { FormSession } from './form-login.js';
import { NegotiateSession } from './negotiate-login.js';
import { OAuth2Client } from './oauth2-login.js';
import { SteadyLogin } from './steady-login.js';

const LOGINS: { readonly [T in LoginType]: new (definition: LoginDefinitionOf<T>) => LoginMethod } = {
  form: FormSession,
  browser: BrowserLoginSession,
  basic: SteadyLogin,
  digest: DigestLogin,
  ntlm: SteadyLogin,
  negotiate: NegotiateSession,
  bearer: SteadyLogin,
  oauth2: OAuth2Client,
  certificate: SteadyLogin,
  header: SteadyLogin,
};

/** Hides the definition's secrets in the login's reported steps and result, since a site may repeat them anywhere. */
export function createLogin(definition: LoginDefinition): LoginMethod {
  const LoginClass = LOGINS[definition.type] as new (definition: LoginDefinition) => LoginMethod;
  const method = new LoginClass(definition);
  const login = method.login.bind(method);
  const hideSecrets = createSecretFilter([...collectSecrets(definition), ...listBasicCredentials(definition)]);
  method.login = async (tools) => {
    const report: LoginTools['report'] = ({ url, detail, ...step }) =>
      tools.report({
        ...step,
        ...(url === undefined ? {} : { url: hideSecrets(url) }),
        ...(detail === undefined ? {} : { detail: hideSecrets(detail) }),
      });
    const result = await login({ ...tools, report });
    return result.kind === 'in' ? result : { ...result, detail: hideSecrets(result.detail) };
  };
  const verify = method.verify?.bind(method);
  if (verify)
    method.verify = async (tools) => {
      const result = await verify(tools);
      return 'detail' in result ? { ...result, detail: hideSecrets(result.detail) } : result;
    };
  return method;
}

const listBasicCredentials = (definition: LoginDefinition): string[] =>
  'user' in definition && 'password' in definition ? [`${definition.user}:${definition.password.reveal()}`] : [];
