/** Keycloak as a process of its own, with its data in memory; Maven fetches it once as an artifact. oauth2-proxy is built once from its module. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { apacheIsMissing, MODULES } from './apache.js';
import { firstMissing, startDebianServer } from './debian-server.js';
import { javaIsMissing, unpackedArtifact } from './java-engine.js';

const ARTIFACT = 'org.keycloak:keycloak-quarkus-dist:26.4.7:zip';
const ADMIN = 'of-the-tests';
const run = promisify(execFile);

/** Why its tests are left out; undefined when they run. */
export function keycloakIsMissing(): string | undefined {
  const java = javaIsMissing();
  if (java !== undefined) return `${java} is missing: apt-get install default-jdk-headless maven`;
  const missing = firstMissing(['openidc', 'mellon'].map((name) => `${MODULES}/mod_auth_${name}.so`));
  return (
    apacheIsMissing() ??
    (missing && `${missing} is missing: apt-get install libapache2-mod-auth-openidc libapache2-mod-auth-mellon`)
  );
}

const PROXY = 'github.com/oauth2-proxy/oauth2-proxy/v7@v7.15.6';

/** Why its test is left out; undefined when it runs. */
export const goIsMissing = (): string | undefined =>
  spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0 ? undefined : 'go is not installed';

/** The program oauth2-proxy. The first call on a machine takes minutes. */
export async function builtOauth2Proxy(): Promise<string> {
  const folder = join(tmpdir(), 'crawlway-engines', PROXY.split('/').pop()!);
  const program = join(folder, 'oauth2-proxy');
  if (existsSync(program)) return program;
  const made = `${folder}.${process.pid}`;
  const env = { ...process.env, CGO_ENABLED: '0', GOBIN: made };
  await run('go', ['install', PROXY], { cwd: tmpdir(), env, maxBuffer: 16 * 1024 * 1024 });
  renameSync(made, folder);
  return program;
}

type Json = Readonly<Record<string, unknown>>;

const createUser = (username: string, password: string, requiredActions: readonly string[] = []): Json => ({
  username,
  requiredActions,
  email: `${username}@example.com`,
  emailVerified: true,
  firstName: username,
  lastName: 'of the tests',
  enabled: true,
  credentials: [{ type: 'password', value: password, temporary: false }],
});

export class Keycloak {
  private constructor(
    readonly origin: string,
    private readonly signal: (name: NodeJS.Signals) => void,
  ) {}

  /** @param whenDone receives what ends it */
  static async start(whenDone: (end: () => Promise<void>) => void): Promise<Keycloak> {
    const home = join(await unpackedArtifact(ARTIFACT, build), FOLDER);
    const server = await startDebianServer({
      // Not its script, whose child would be out of reach of signals.
      program: 'java',
      args: ({ port, folder }) => [
        '-Xms64m',
        '-Xmx400m',
        '-XX:TieredStopAtLevel=1',
        '--add-opens=java.base/java.util=ALL-UNNAMED',
        `-Dkc.home.dir=${home}`,
        `-Djboss.server.config.dir=${home}/conf`,
        `-Dquarkus.transaction-manager.object-store.directory=${folder}`,
        '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
        '-cp',
        `${home}/lib/quarkus-run.jar`,
        'io.quarkus.bootstrap.runner.QuarkusEntryPoint',
        ...['start', '--optimized', '--cache=local', '--hostname-strict=false', '--http-enabled=true'],
        ...['--http-host=127.0.0.1', `--http-port=${port}`],
      ],
      files: () => ({}),
      environment: () => ({ KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN, KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN }),
      startsWithinMs: 240_000,
      whenDone,
    });
    return new Keycloak(`http://127.0.0.1:${server.port}`, server.signal);
  }

  /** A realm that locks accounts for a day after five wrong passwords, with users `robot` and `newcomer`, who has to change the password. */
  async createRealm(realm: string, password: string): Promise<void> {
    // Without the lock on passwords that come within a second: the crawl's clock is faster than Keycloak's.
    const quick = { quickLoginCheckMilliSeconds: 0 };
    const lock = {
      bruteForceProtected: true,
      failureFactor: 5,
      waitIncrementSeconds: DAY_S,
      maxFailureWaitSeconds: DAY_S,
      ...quick,
    };
    const users = [createUser('robot', password), createUser('newcomer', password, ['UPDATE_PASSWORD'])];
    await this.admin('POST', '', { realm, enabled: true, sslRequired: 'none', eventsEnabled: true, ...lock, users });
  }

  async createClient(realm: string, client: Json): Promise<void> {
    await this.admin('POST', `/${realm}/clients`, client);
  }

  /** Ends the sessions of a user, and tells the applications that want to know. */
  async endSessions(realm: string, user: string): Promise<void> {
    await this.admin('POST', `/${realm}/users/${await this.findUser(realm, user)}/logout`);
  }

  /** Types of the recorded events of an application. */
  async events(realm: string, client: string): Promise<string[]> {
    const query = new URLSearchParams({ client, max: '1000' });
    const events = (await this.admin('GET', `/${realm}/events?${query}`)) as readonly { type: string }[];
    return events.map(({ type }) => type);
  }

  /** Whether the account is locked, and how many wrong passwords are counted against it. */
  async attacks(realm: string, user: string): Promise<{ readonly disabled: boolean; readonly numFailures: number }> {
    const id = await this.findUser(realm, user);
    return (await this.admin('GET', `/${realm}/attack-detection/brute-force/users/${id}`)) as never;
  }

  /** The description of a realm for SAML. */
  async describeSaml(realm: string): Promise<string> {
    return (await fetch(`${this.origin}/realms/${realm}/protocol/saml/descriptor`)).text();
  }

  /** From now on, and at most until the test ends, it takes connections and does not answer. */
  freeze(): void {
    this.signal('SIGSTOP');
    onTestFinished(() => this.thaw());
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  private async findUser(realm: string, user: string): Promise<string> {
    const [found] = (await this.admin('GET', `/${realm}/users?exact=true&username=${user}`)) as readonly {
      id: string;
    }[];
    return found!.id;
  }

  private async admin(method: string, path: string, body?: unknown): Promise<unknown> {
    const grant = new URLSearchParams({
      grant_type: 'password',
      client_id: 'admin-cli',
      username: ADMIN,
      password: ADMIN,
    });
    const tokens = await fetch(`${this.origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: grant,
    });
    const { access_token: token } = (await tokens.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${this.origin}/admin/realms${path}`;
    const response = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

const DAY_S = 86_400;
const FOLDER = 'keycloak-26.4.7';

/** Once, for the database in memory; takes half a minute. */
const build = (folder: string): Promise<unknown> =>
  run('sh', [join(folder, FOLDER, 'bin/kc.sh'), 'build', '--db=dev-mem'], { timeout: 600_000 });
