import type { LoginDefinition } from '../../../domain/crawl/logins.js';
import { collectSecrets, createSecretFilter } from '../../../domain/hide-secrets.js';
import type { LoginMethod, LoginTools } from '../../../engine/ports/login-method.js';
import { DigestLogin } from './digest-login.js';
import { FormSession } from './form-login.js';
import { NegotiateSession } from './negotiate-login.js';
import { OAuth2Client } from './oauth2-login.js';
import { SteadyLogin } from './steady-login.js';

/** Hides the definition's secrets in the login's reported steps and result, since a site may repeat them anywhere. */
export function createLogin(definition: LoginDefinition): LoginMethod {
  const method = createLoginMethod(definition);
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
  return method;
}

const listBasicCredentials = (definition: LoginDefinition): string[] =>
  'user' in definition && 'password' in definition ? [`${definition.user}:${definition.password.reveal()}`] : [];

/** To add a type, add a row to the table in read/logins.ts, its definition, and a class here. */
function createLoginMethod(definition: LoginDefinition): LoginMethod {
  switch (definition.type) {
    case 'digest':
      return new DigestLogin(definition);
    case 'oauth2':
      return new OAuth2Client(definition);
    case 'negotiate':
      return new NegotiateSession(definition);
    case 'form':
      return new FormSession(definition);
    case 'basic':
    case 'bearer':
    case 'header':
    case 'certificate':
    case 'ntlm':
      return new SteadyLogin(definition);
  }
}
