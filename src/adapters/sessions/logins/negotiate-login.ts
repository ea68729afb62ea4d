/**
 * Kerberos (RFC 4559), by the optional package `kerberos`: it binds the libraries of the system, and is loaded when a login needs it.
 */
import { createRequire } from 'node:module';
import type { NegotiateLogin } from '../../../domain/crawl/logins.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { probe } from './probe.js';

interface Kerberos {
  initializeClient(service: string, options: object): Promise<{ step(challenge: string): Promise<string> }>;
}

const load = createRequire(import.meta.url);

/** Without a static import: builds and installations without it are whole. */
function kerberos(): Kerberos {
  return load('kerberos') as Kerberos;
}

/** Every request carries a ticket of its own: servers refuse one that they have seen. */
export class NegotiateSession implements LoginMethod {
  constructor(private readonly definition: NegotiateLogin) {}

  async login(tools: LoginTools): Promise<LoginResult> {
    const { check, name } = this.definition;
    let session: RequestSession;
    try {
      session = await this.session(check);
    } catch (error) {
      const detail = `Kerberos gives no ticket: ${(error as Error).message}`;
      tools.report({ what: 'asked Kerberos for a ticket', detail });
      return { kind: 'unreachable', detail };
    }
    tools.report({ what: 'asked Kerberos for a ticket', detail: 'got one' });
    return probe(tools, { url: check, session: { ...session, login: name }, schemes: ['negotiate'] });
  }

  async session(url: string): Promise<RequestSession> {
    const { service = `HTTP@${new URL(url).hostname}`, principal } = this.definition;
    const client = await kerberos().initializeClient(service, principal === undefined ? {} : { principal });
    return { headers: { authorization: `Negotiate ${await client.step('')}` } };
  }

  answered({ status }: SessionAnswer): SessionVerdict {
    return status === 401 ? 'ended' : 'fine';
  }
}
