/**
 * Kerberos tickets (RFC 4559), by the optional package `kerberos`: it binds the libraries of the system, and is loaded when a login
 * needs it.
 */
import { createRequire } from 'node:module';
import type { NegotiateLogin } from '../../../domain/crawl/logins.js';
import type { LoginFailureKind } from '../../../engine/ports/login-method.js';

interface Kerberos {
  initializeClient(service: string, options: object): Promise<{ step(challenge: string): Promise<string> }>;
}

const load = createRequire(import.meta.url);

/** No static import, so that builds and installations work without it. */
const loadKerberos = (): Kerberos => load('kerberos') as Kerberos;

/**
 * What a request to a service of the host carries: each needs a ticket of its own, since servers refuse one that they have seen.
 * Rejects with the message of the Kerberos library. Only one at a time (see inTurn).
 * @param cache of tickets; the library renews them from the keytab when they expire
 */
export async function requestTicket(login: NegotiateLogin, host: string, cache: number): Promise<string> {
  const { service = `HTTP@${host}`, principal } = login;
  return withEnvironment(buildEnvironment(login, cache), async () => {
    const client = await loadKerberos().initializeClient(service, principal === undefined ? {} : { principal });
    return client.step('');
  });
}

type Environment = Readonly<Record<string, string>>;

/** Without a keytab, tickets come from another program (kinit), which keeps them in a cache of its own choice. */
function buildEnvironment({ name, keytab }: NegotiateLogin, cache: number): Environment {
  const file = keytab ? `FILE:${keytab.path}` : process.env[CLIENT_KEYTAB];
  if (!file) return {};
  return { [CLIENT_KEYTAB]: file, [CACHE]: `MEMORY:crawlway-${name}-${keytab?.digest ?? ''}-${cache}` };
}

const CLIENT_KEYTAB = 'KRB5_CLIENT_KTNAME';
const CACHE = 'KRB5CCNAME';

async function withEnvironment<T>(environment: Environment, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

let last: Promise<unknown> = Promise.resolve();

/** The library takes keytab and cache from the environment of the process, which is set for one login at a time. */
export function enqueue<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work);
  last = turn.catch(() => undefined);
  return turn;
}

/** Errors of the library (MIT krb5, lib/krb5/error_tables/krb5_err.et), and what they mean for the login. */
const MEANINGS: readonly (readonly [RegExp, LoginFailureKind])[] = [
  [/credentials have been revoked/i, 'locked'],
  [/Preauthentication failed|Decrypt integrity check failed|password has expired/i, 'refused'],
  [/Client '[^']*' not found/i, 'refused'],
  [/Server \S+ not found|No Kerberos credentials available|Can't find client principal|Cannot find module/i, 'changed'],
];

/** A keytab with an old key is as wrong as a wrong password: too many attempts lock the account. */
export const classifyError = (message: string): LoginFailureKind =>
  MEANINGS.find(([words]) => words.test(message))?.[1] ?? 'unreachable';
