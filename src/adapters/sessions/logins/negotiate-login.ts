import { createRequire } from 'node:module';
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import type { RequestSession } from '../../../engine/ports/fetcher.js';
import type {
  LoginFailureKind,
  LoginMethod,
  LoginResult,
  LoginTools,
  SessionAnswer,
  SessionVerdict,
} from '../../../engine/ports/login-method.js';
import { probePage } from './probe.js';

const MAX_WAIT_MS = 60_000;

/** Negotiate (Kerberos): every request carries a ticket, which the library renews from the keytab. */
export class NegotiateSession implements LoginMethod {
  private failure: Error | undefined;
  private cacheNumber = 0;

  constructor(private readonly definition: LoginDefinitionOf<'negotiate'>) {}

  async login(tools: LoginTools): Promise<LoginResult> {
    const { check, name } = this.definition;
    const what = 'requested a Kerberos ticket';
    this.discardTickets();
    let session: RequestSession;
    try {
      session = await this.getSession(check);
    } catch (error) {
      const { message } = error as Error;
      const detail = `Kerberos issued no ticket: ${message}`;
      tools.report({ what, detail });
      return { kind: classifyError(message), detail };
    }
    tools.report({ what, detail: 'received a ticket' });
    return (await probePage(tools, { url: check, session: { ...session, login: name }, schemes: ['negotiate'] }))
      .result;
  }

  /** A rejected keytab is not tried again before the next login: each attempt may count towards locking the account. */
  async getSession(url: string): Promise<RequestSession> {
    const ticket = this.getTicketSession(url);
    const expired = Promise.withResolvers<never>();
    // The library bounds the size of an answer, but not how slowly a KDC may send it.
    const timer = setTimeout(() => expired.reject(new Error('the KDC did not answer in time')), MAX_WAIT_MS);
    try {
      return await Promise.race([ticket, expired.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private getTicketSession(url: string): Promise<RequestSession> {
    return enqueue(async () => {
      if (this.failure) throw this.failure;
      try {
        const ticket = await requestTicket(this.definition, new URL(url).hostname, this.cacheNumber);
        return { headers: { authorization: `Negotiate ${ticket}` } };
      } catch (error) {
        this.failure = error as Error;
        throw error;
      }
    });
  }

  judgeResponse({ status }: SessionAnswer): SessionVerdict {
    return status === 401 ? 'ended' : 'fine';
  }

  /**
   * Switches to an empty cache after a failure: while the cache holds expired tickets, the library reports only that
   * they have expired, not why it cannot get new ones.
   */
  private discardTickets(): void {
    if (!this.failure) return;
    this.failure = undefined;
    this.cacheNumber++;
  }
}

/**
 * Kerberos tickets (RFC 4559) through the optional package `kerberos`, which binds to the system's libraries and is
 * loaded when a login needs it.
 */
interface Kerberos {
  initializeClient(service: string, options: object): Promise<{ step(challenge: string): Promise<string> }>;
}

const requireModule = createRequire(import.meta.url);

/** Not imported statically, so that builds and installations work without the package. */
const loadKerberos = (): Kerberos => requireModule('kerberos') as Kerberos;

/**
 * Returns the ticket for one request to a service on the host: each request needs its own, since servers refuse a
 * ticket that they have already seen. Rejects with the Kerberos library's message. Must not run concurrently (see
 * `enqueue`).
 * @param cacheNumber number of the ticket cache; the library renews expired tickets from the keytab
 */
async function requestTicket(
  login: LoginDefinitionOf<'negotiate'>,
  host: string,
  cacheNumber: number,
): Promise<string> {
  const { service = `HTTP@${host}`, principal } = login;
  return withEnvironment(buildEnvironment(login, cacheNumber), async () => {
    const client = await loadKerberos().initializeClient(service, principal === undefined ? {} : { principal });
    return client.step('');
  });
}

type Environment = Readonly<Record<string, string>>;

/** Without a keytab, tickets come from another program (kinit), which chooses the cache. */
function buildEnvironment({ name, keytab }: LoginDefinitionOf<'negotiate'>, cacheNumber: number): Environment {
  const keytabFile = keytab ? `FILE:${keytab.path}` : process.env[CLIENT_KEYTAB];
  if (!keytabFile) return {};
  return {
    [CLIENT_KEYTAB]: keytabFile,
    [TICKET_CACHE]: `MEMORY:crawlway-${name}-${keytab?.digest ?? ''}-${cacheNumber}`,
  };
}

const CLIENT_KEYTAB = 'KRB5_CLIENT_KTNAME';
const TICKET_CACHE = 'KRB5CCNAME';

async function withEnvironment<T>(environment: Environment, work: () => Promise<T>): Promise<T> {
  const previousValues = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  try {
    return await work();
  } finally {
    for (const [name, value] of previousValues) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

let lastTask: Promise<unknown> = Promise.resolve();

/**
 * Runs tasks one at a time, because the library reads the keytab and cache from the process's environment, which can be
 * set for only one login at a time.
 */
function enqueue<T>(work: () => Promise<T>): Promise<T> {
  const result = lastTask.then(work);
  lastTask = result.catch(() => undefined);
  return result;
}

/** The library's errors (MIT krb5, lib/krb5/error_tables/krb5_err.et) and what they mean for the login. */
const ERROR_KINDS: readonly (readonly [RegExp, LoginFailureKind])[] = [
  [/credentials have been revoked/i, 'locked'],
  [/Preauthentication failed|Decrypt integrity check failed|password has expired/i, 'refused'],
  [/Client '[^']*' not found/i, 'refused'],
  [/Server \S+ not found|No Kerberos credentials available|Can't find client principal|Cannot find module/i, 'changed'],
];

/** An outdated keytab is treated like a wrong password, because too many attempts would lock the account. */
export const classifyError = (message: string): LoginFailureKind =>
  ERROR_KINDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'unreachable';
