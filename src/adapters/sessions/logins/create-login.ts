import type { LoginDefinition } from '../../../domain/crawl/logins.js';
import type { LoginMethod } from '../../../engine/ports/login-method.js';
import { DigestLogin } from './digest-login.js';
import { FormSession } from './form-login.js';
import { NegotiateSession } from './negotiate-login.js';
import { OAuth2Client } from './oauth2-login.js';
import { SteadyLogin } from './steady-login.js';

/** To add a type: its row in the table of read/logins.ts, its definition, and a class here. */
export function createLogin(definition: LoginDefinition): LoginMethod {
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
