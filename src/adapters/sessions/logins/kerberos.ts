/**
 * Kerberos tickets (RFC 4559) through the optional package `kerberos`, which binds to the system's libraries and is
 * loaded when a login needs it.
 */
import { createRequire } from 'node:module';
import type { LoginDefinitionOf } from '../../../domain/crawl/logins.js';
import type { LoginFailureKind } from '../../../engine/ports/login-method.js';

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
export async function requestTicket(
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
export function enqueue<T>(work: () => Promise<T>): Promise<T> {
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
