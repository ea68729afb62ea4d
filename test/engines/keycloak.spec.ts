/** Keycloak in front of Apache httpd, by OpenID Connect and by SAML: sessions that end, and accounts that do not come in. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { hours, minutes } from '../../src/domain/time/units.js';
import { renderingWorld } from '../rendering/rendering-world.js';
import type { CrawlWorld } from '../support/crawl-world.js';
import { describeUnless, itUnless, noBrowser } from '../support/left-out.js';
import { crawl } from '../support/scenario.js';
import { MODULES, startApache } from './support/apache.js';
import { type DebianServer, startDebianServer } from './support/debian-server.js';
import { deletions, loginConfiguration, surviveTheEnd } from './support/ended-sessions.js';
import { builtOauth2Proxy, goIsMissing, Keycloak, keycloakIsMissing } from './support/keycloak.js';
import { visitAgain } from './support/protected-site.js';

const NAMES = ['index', 'a', 'b', 'c'];
const PATHS = ['/', '/a.html', '/b.html', '/c.html'];
/** Texts without a word in common, or the guard against error pages would hold them. */
const TEXTS: Readonly<Record<string, string>> = {
  index: 'Welcome to our intranet',
  a: 'Holidays are requested three weeks ahead',
  b: 'Invoices go to accounting before noon',
  c: 'Bicycles stand behind the canteen',
};
const page = (name: string, links: readonly string[], edition = 'first'): string =>
  `<title>${name}, ${edition} edition</title><p id="members">${TEXTS[name] ?? name}, ${edition} edition.</p>${links.map((to) => `<a href="/${to}.html">${to}</a>`).join(' ')}`;
const pages = (more: readonly string[] = [], edition?: string): Record<string, string> =>
  Object.fromEntries(
    [...NAMES, 'enter', ...more].map((name) => [`${name}.html`, page(name, [...NAMES.slice(1), ...more], edition)]),
  );

/** The realm in which the crawl's password is right, and one in which it is wrong. */
const REALM = 'members';
const OTHER_REALM = 'others';
let keycloak: Keycloak;

interface Protection {
  readonly realm: string;
  /** What Keycloak calls the application. */
  readonly client: (origin: string) => string;
  /** Loads the module, and protects the whole site. */
  readonly directives: () => string;
  readonly files?: () => Promise<Readonly<Record<string, string>>>;
  /** The application, as Keycloak knows it. */
  readonly application: (origin: string) => Readonly<Record<string, unknown>>;
  /** The login's further attributes, for those that need any. */
  readonly steps?: string;
}

const openIdConnect = (realm: string): Protection => ({
  realm,
  client: (origin) => `openid-${origin.split(':')[2]}`,
  directives: () => `LoadModule auth_openidc_module ${MODULES}/mod_auth_openidc.so
    OIDCProviderMetadataURL ${keycloak.origin}/realms/${realm}/.well-known/openid-configuration
    OIDCClientID openid-PORT
    OIDCClientSecret of-the-client
    OIDCRedirectURI http://127.0.0.1:PORT/callback
    OIDCCryptoPassphrase of-the-cookies
    OIDCHTTPTimeoutLong 1
    OIDCHTTPTimeoutShort 1
    <Location />
      AuthType openid-connect
      Require valid-user
    </Location>`,
  application: (origin) => ({
    secret: 'of-the-client',
    redirectUris: [`${origin}/callback`],
    attributes: {
      'backchannel.logout.url': `${origin}/callback?logout=backchannel`,
      'backchannel.logout.session.required': 'true',
    },
  }),
});
const OPENID_CONNECT = openIdConnect(REALM);

const SAML: Protection = {
  realm: REALM,
  client: (origin) => `${origin}/mellon/metadata`,
  // A cookie with SameSite=None, its default, would need TLS in a browser.
  directives: () => `LoadModule auth_mellon_module ${MODULES}/mod_auth_mellon.so
    LoadModule setenvif_module ${MODULES}/mod_setenvif.so
    SetEnvIf Request_URI ^ MELLON_DISABLE_SAMESITE=1
    <Location />
      AuthType Mellon
      MellonEnable auth
      MellonEndpointPath /mellon
      MellonSecureCookie Off
      MellonSPPrivateKeyFile FOLDER/mellon.key
      MellonSPCertFile FOLDER/mellon.pem
      MellonIdPMetadataFile FOLDER/keycloak.xml
      Require valid-user
    </Location>`,
  files: async () => ({ ...mellonKeys(), 'keycloak.xml': await keycloak.describeSaml(REALM) }),
  application: (origin) => ({
    protocol: 'saml',
    redirectUris: [`${origin}/*`],
    attributes: {
      'saml.client.signature': 'false',
      'saml.force.post.binding': 'true',
      'saml.authnstatement': 'true',
      'saml.server.signature': 'true',
      saml_assertion_consumer_url_post: `${origin}/mellon/postResponse`,
    },
  }),
  steps: `<cw:LoginStep form="kc-form-login"><cw:LoginField name="username" value="robot"/><cw:LoginField name="password" value="right"/></cw:LoginStep>
    <cw:LoginStep form="form"/>`,
};

function mellonKeys(): Readonly<Record<string, string>> {
  const options = ['-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=apache', '-days', '30', '-keyout', '-'];
  const text = execFileSync('openssl', ['req', '-x509', ...options], { encoding: 'utf8', stdio: 'pipe' });
  const [key, pem] = text.split(/(?=-----BEGIN CERTIFICATE)/);
  return { 'mellon.key': key!, 'mellon.pem': pem! };
}

interface Site {
  readonly server: DebianServer;
  readonly origin: string;
  readonly urls: readonly string[];
  /** How often the login has begun: no page links to its page. */
  attempts(): number;
  /** Events that Keycloak has recorded for the application. */
  events(): Promise<string[]>;
  /** Apache forgets its sessions. */
  restart(): Promise<void>;
}

/** A site of members. */
async function startProtected(
  { realm, client, directives, files, application }: Protection,
  { more = '', names = [] }: { readonly more?: string; readonly names?: readonly string[] } = {},
): Promise<Site> {
  const log = 'CustomLog FOLDER/visits.log "%m %U %>s"';
  const server = await startApache([log, directives(), more].join('\n'), { ...pages(names), ...(await files?.()) });
  const origin = `http://127.0.0.1:${server.port}`;
  await keycloak.createClient(realm, { ...application(origin), clientId: client(origin) });
  const starts = () => server.read('error.log').match(/resuming normal operations/g)?.length ?? 0;
  return {
    server,
    origin,
    urls: PATHS.map((path) => `${origin}${path}`),
    attempts: () => server.read('visits.log').match(/^GET \/enter\.html (?!200)/gm)?.length ?? 0,
    events: () => keycloak.events(realm, client(origin)),
    restart: async () => {
      const before = starts();
      server.signal('SIGHUP');
      await vi.waitFor(() => expect(starts()).toBeGreaterThan(before), { timeout: 30_000, interval: 50 });
    },
  };
}

const configuration = (
  { origin }: Site,
  { steps = '' }: Protection,
  { user = 'robot', fetcher = '', success = 'successSelector="#members"' } = {},
) => {
  const login = `page="${origin}/enter.html" sendTo="${keycloak.origin}" ${success}`;
  return loginConfiguration(origin, login, { steps, fetcher, user });
};

const publish = (server: DebianServer, edition: string): void => {
  for (const [name, text] of Object.entries(pages([], edition))) server.write(name, text);
};

const visitForAnHour = async (world: CrawlWorld): Promise<void> => {
  for (let round = 0; round < 6; round++) {
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.pass(minutes(10));
  }
};

/** With its sign-in page, which has status 403. Its sessions are cookies, which end with its secret. */
async function startOauth2Proxy({ port, edition = 'first' }: { readonly port?: number; readonly edition?: string }) {
  const ends: (() => Promise<void>)[] = [];
  const server = await startDebianServer({
    program: await builtOauth2Proxy(),
    usesPort: port,
    args: ({ port: own, folder }) => [
      `--http-address=127.0.0.1:${own}`,
      ...['--provider=oidc', `--oidc-issuer-url=${keycloak.origin}/realms/${REALM}`, '--email-domain=*'],
      ...['--client-id=oauth2-proxy', '--client-secret=of-the-client', '--code-challenge-method=S256'],
      ...[`--redirect-url=http://127.0.0.1:${own}/oauth2/callback`, '--cookie-secure=false'],
      ...[`--cookie-secret=${edition.padEnd(32, '-')}`, `--upstream=file://${folder}/#/`],
    ],
    files: () => pages([], edition),
    startsWithinMs: 60_000,
    whenDone: (end) => ends.push(end),
  });
  let hasEnded = false;
  const end = async (): Promise<void> => {
    if (!hasEnded) await ends[0]!();
    hasEnded = true;
  };
  onTestFinished(end);
  return { server, end };
}

let stopKeycloak = async (): Promise<void> => undefined;

describeUnless(keycloakIsMissing(), 'Keycloak', () => {
  beforeAll(async () => {
    keycloak = await Keycloak.start((end) => {
      stopKeycloak = end;
    });
    await keycloak.createRealm(REALM, 'right');
    await keycloak.createRealm(OTHER_REALM, 'another');
  }, 900_000);
  afterAll(() => stopKeycloak());

  it.each([
    ['mod_auth_openidc, at Keycloak, which tells Apache', OPENID_CONNECT, 'keycloak'],
    ['mod_auth_openidc, at both', OPENID_CONNECT, 'both'],
    ['mod_auth_mellon (SAML), at both', SAML, 'both'],
  ] as const)('documents are kept and made current when sessions end: %s', async (_, protection, where) => {
    const site = await startProtected(protection);
    const world = await crawl(configuration(site, protection));
    expect(await world.indexed()).toEqual(site.urls);
    await surviveTheEnd(world, async () => {
      publish(site.server, 'second');
      await keycloak.endSessions(REALM, 'robot');
      if (where === 'both') await site.restart();
    });
    for (const url of site.urls) expect((await world.state(url))!.title).toMatch(/second edition/);
    expect((await site.events()).filter((type) => type === 'LOGIN')).toHaveLength(2);
  });

  itUnless(noBrowser, 'mod_auth_mellon (SAML), with a login in the browser, whose forms send themselves', async () => {
    const site = await startProtected(SAML);
    const steps = 'wait #username; fill #username with user; fill #password with password; click #kc-login';
    const fetcher = `<cw:Login name="site" type="browser" insecure="true" url="${site.origin}/" page="${site.origin}/enter.html" check="${site.origin}/"
      sendTo="${keycloak.origin}" successSelector="#members" user="robot" password="right" steps="${steps}"/>`;
    const world = await renderingWorld({ attributes: '', crawler: `<Root url="${site.origin}/"/>`, fetcher });
    onTestFinished(() => world.close());
    await world.untilIdle(minutes(5));
    expect([...world.pushed().keys()].sort()).toEqual(site.urls);
    publish(site.server, 'second');
    await keycloak.endSessions(REALM, 'robot');
    await site.restart();
    await visitAgain(world);
    for (const url of site.urls) expect(world.pushed().get(url)!.text).toMatch(/second edition/);
    expect(world.orders().filter(({ kind }) => kind === 'delete')).toEqual([]);
    expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', logins: 2 }]);
  });

  itUnless(goIsMissing(), 'oauth2-proxy: documents are kept and made current when its sessions end', async () => {
    const first = await startOauth2Proxy({});
    const { port } = first.server;
    const origin = `http://127.0.0.1:${port}`;
    await keycloak.createClient(REALM, {
      clientId: 'oauth2-proxy',
      secret: 'of-the-client',
      redirectUris: [`${origin}/oauth2/callback`],
    });
    const login = `page="${origin}/oauth2/start?rd=%2F" sendTo="${keycloak.origin}" successSelector="#members"`;
    // Its own robots.txt forbids everything.
    const world = await crawl({ ...loginConfiguration(origin, login), attributes: 'ignoreRobotsTxt="true"' });
    const urls = PATHS.map((path) => `${origin}${path}`);
    expect(await world.indexed()).toEqual(urls);
    await surviveTheEnd(world, async () => {
      await first.end();
      await keycloak.endSessions(REALM, 'robot');
      await startOauth2Proxy({ port, edition: 'second' });
    });
    for (const url of urls) expect((await world.state(url))!.title).toMatch(/second edition/);
  });

  it.each([
    ['mod_auth_openidc', OPENID_CONNECT],
    ['mod_auth_mellon (SAML)', SAML],
  ])(
    'nothing is deleted while it is frozen for an hour, with six attempts to log in at most: %s',
    async (_, protection) => {
      const site = await startProtected(protection);
      const world = await crawl(configuration(site, protection, { fetcher: 'headerTimeoutMS="2000"' }));
      expect(await world.indexed()).toEqual(site.urls);
      const before = site.attempts();
      await keycloak.endSessions(REALM, 'robot');
      if (protection === SAML) await site.restart();
      keycloak.freeze();
      await visitForAnHour(world);
      expect(site.attempts() - before).toBeGreaterThan(1);
      expect(site.attempts() - before).toBeLessThanOrEqual(6);
      expect(await world.indexed()).toEqual(site.urls);
      keycloak.thaw();
      publish(site.server, 'second');
      await world.pass(hours(2));
      for (const url of site.urls)
        expect(await world.state(url)).toMatchObject({
          reason: 'indexed',
          title: expect.stringMatching(/second edition/),
        });
      expect(await deletions(world)).toEqual([]);
    },
  );

  it.each([
    ['an element of members', 'successSelector="#members"'],
    ['nothing', ''],
  ])(
    'an account that has to change its password is tried three times, then stopped: with %s to tell',
    async (_, success) => {
      const site = await startProtected(OPENID_CONNECT);
      const world = await crawl(configuration(site, OPENID_CONNECT, { user: 'newcomer', success }));
      await visitForAnHour(world);
      expect(await world.indexed()).toEqual([]);
      // Keycloak records an event only when such a login is complete.
      expect(site.attempts()).toBe(3);
      expect(world.engine.logins.list()).toMatchObject([{ state: 'stopped', logins: 0 }]);
      expect(await keycloak.attacks(REALM, 'newcomer')).toMatchObject({ disabled: false });
    },
  );

  it('pages that the account may not see cost no login, whether Apache refuses them or leads to Keycloak again', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index % 2 === 0 ? 'board' : 'staff'}-${index}`);
    const more = `<LocationMatch ^/(board|staff)->
        Require claim groups:board
      </LocationMatch>
      <LocationMatch ^/board->
        OIDCUnAutzAction 403
      </LocationMatch>
      <LocationMatch ^/staff->
        OIDCUnAutzAction auth
      </LocationMatch>`;
    const site = await startProtected(OPENID_CONNECT, { more, names });
    const world = await crawl(configuration(site, OPENID_CONNECT));
    publish(site.server, 'second');
    for (let quarter = 0; quarter < 4; quarter++) {
      await world.engine.maintenance.refresh('test', { like: '%' });
      await world.pass(hours(6));
    }
    expect(await world.indexed()).toEqual(site.urls);
    for (const url of site.urls) expect((await world.state(url))!.title).toMatch(/second edition/);
    for (const name of names)
      expect(await world.state(`${site.origin}/${name}.html`)).toMatchObject({ reason: 'login-failed' });
    expect(site.attempts()).toBe(1);
  });

  it('a password that is wrong in a second realm is tried three times in a day: no account is locked', async () => {
    const other = openIdConnect(OTHER_REALM);
    const [site, second] = [await startProtected(OPENID_CONNECT), await startProtected(other)];
    const logins = [site, second].map(
      ({ origin }, index) =>
        `<cw:Login name="site-${index}" type="form" insecure="true" url="${origin}/" page="${origin}/enter.html" sendTo="${keycloak.origin}" user="robot" password="right"/>`,
    );
    const world = await crawl({
      crawler: `<Root url="${site.origin}/"/><Root url="${second.origin}/"/>`,
      more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${logins.join('')}</cw:Fetcher>`,
    });
    for (let hour = 0; hour < 24; hour++) {
      await world.engine.maintenance.refresh('test', { like: '%' });
      await world.pass(hours(1));
    }
    expect(await world.indexed()).toEqual(site.urls);
    expect(world.engine.logins.list()).toMatchObject([
      { state: 'logged-in', logins: 1 },
      { state: 'stopped', refused: 3 },
    ]);
    expect(await second.events()).toEqual(['LOGIN_ERROR', 'LOGIN_ERROR', 'LOGIN_ERROR']);
    expect(await keycloak.attacks(OTHER_REALM, 'robot')).toMatchObject({ disabled: false, numFailures: 3 });
  });
});
