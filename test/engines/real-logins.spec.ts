/** Logins and proxies against the servers that intranets have, from Debian's packages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { hours } from '../../src/domain/time/units.js';
import { authority, type Identity } from '../support/certificates.js';
import type { CrawlWorld } from '../support/crawl-world.js';
import { describeUnless, itUnless } from '../support/left-out.js';
import { crawl, startSite } from '../support/scenario.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { apacheIsMissing, digestLine, MODULES, startApache } from './support/apache.js';
import { type DebianServer, firstMissing, passwordLine, startDebianServer } from './support/debian-server.js';
import { aDayOfRefusals, allIsCurrent, indexedPaths, PAGES, PATHS, visitAgain } from './support/protected-site.js';

const configuration = (origin: string, login: string, more = '') => ({
  crawler: `<Root url="${origin}/"/>`,
  more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${more}<cw:Login name="site" url="${origin}/" ${login}/></cw:Fetcher>`,
});

/** Certificates of clients by the authority of a file. */
const WANTS_CERTIFICATES = `SSLEngine on
      SSLCertificateFile FOLDER/server.pem
      SSLCertificateKeyFile FOLDER/server.key
      SSLCACertificateFile FOLDER/authority.pem
      SSLVerifyClient require
      <Location />
        Require all granted
      </Location>`;

const noApache = apacheIsMissing();

describeUnless(noApache, 'Apache httpd', () => {
  it('mod_auth_basic: a complete crawl, with a password that changes half-way', async () => {
    const directives = `LoadModule auth_basic_module ${MODULES}/mod_auth_basic.so
    <Location />
      AuthType Basic
      AuthName files
      AuthUserFile FOLDER/passwords
      Require valid-user
    </Location>`;
    const server = await startApache(directives, { ...PAGES, passwords: `${passwordLine('robot', 'first')}\n` });
    const origin = `http://127.0.0.1:${server.port}`;
    const login = (password: string) => `type="basic" insecure="true" user="robot" password="${password}"`;
    const world = await crawl(configuration(origin, login('first')));
    await allIsCurrent(world, origin);
    server.write('passwords', `${passwordLine('robot', 'second')}\n`);
    await aDayOfRefusals(world);
    expect(await indexedPaths(world)).toEqual(PATHS);
    await world.reconfigure(configuration(origin, login('second')));
    await visitAgain(world);
    await allIsCurrent(world, origin);
  });

  it('mod_auth_digest: a complete crawl, with nonces that expire half-way', async () => {
    const server = await startApache(
      `CustomLog FOLDER/nonces.log "%{Authorization}i"
      <Location />
        AuthType Digest
        AuthName files
        AuthDigestProvider file
        AuthUserFile FOLDER/passwords
        AuthDigestNonceLifetime 1
        Require valid-user
      </Location>`,
      { ...PAGES, passwords: `${digestLine('robot', 'files', 'right')}\n` },
    );
    const origin = `http://127.0.0.1:${server.port}`;
    const world = await crawl(configuration(origin, 'type="digest" insecure="true" user="robot" password="right"'));
    // Nonces live by the clock of the machine: pages are visited until the server has given several.
    const nonces = () => new Set(server.read('nonces.log').match(/nonce=\\"[^"\\]+/g));
    const logins = () => server.read('nonces.log').match(/^-$/gm)?.length;
    const before = logins();
    for (let rounds = 0; nonces().size < 3; rounds++) {
      expect(rounds).toBeLessThan(200);
      await visitAgain(world);
    }
    await allIsCurrent(world, origin);
    // After a pause that is longer than a nonce lives, the server refuses it and names the next: nobody logs in again.
    const pauseEnds = Date.now() + 2_500;
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(pauseEnds), { timeout: 30_000 });
    await visitAgain(world);
    await allIsCurrent(world, origin);
    expect(logins()).toBe(before);
  });

  it('mod_auth_digest: a complete crawl, with a password that changes', async () => {
    const directives = `<Location />
      AuthType Digest
      AuthName files
      AuthDigestProvider file
      AuthUserFile FOLDER/passwords
      Require valid-user
    </Location>`;
    const server = await startApache(directives, { ...PAGES, passwords: `${digestLine('robot', 'files', 'first')}\n` });
    const origin = `http://127.0.0.1:${server.port}`;
    const login = (password: string) => `type="digest" insecure="true" user="robot" password="${password}"`;
    const world = await crawl(configuration(origin, login('first')));
    expect(await indexedPaths(world)).toEqual(PATHS);
    server.write('passwords', `${digestLine('robot', 'files', 'second')}\n`);
    await aDayOfRefusals(world);
    expect(await indexedPaths(world)).toEqual(PATHS);
    await world.reconfigure(configuration(origin, login('second')));
    await visitAgain(world);
    await allIsCurrent(world, origin);
  });

  it('mod_auth_form: a complete crawl, with sessions that expire half-way', async () => {
    const form = `AuthType Form
      AuthName wiki
      AuthFormProvider file
      AuthUserFile FOLDER/passwords
      AuthFormLoginRequiredLocation /login.html
      Session On
      SessionCookieName session path=/;httponly
      SessionCryptoPassphraseFile FOLDER/passphrase`;
    const directives = `<Location />
      ${form}
      Require valid-user
    </Location>
    <Location /login.html>
      AuthType None
      Require all granted
    </Location>
    <Location /do-login>
      SetHandler form-login-handler
      ${form}
      AuthFormLoginSuccessLocation /
      Require all granted
    </Location>`;
    const login = `<!doctype html><title>Log in</title><form method="post" action="/do-login">
      <input name="httpd_username"><input type="password" name="httpd_password"><button>Log in</button></form>`;
    const server = await startApache(directives, {
      ...PAGES,
      'login.html': login,
      passwords: `${passwordLine('robot', 'right')}\n`,
      passphrase: 'one-passphrase-of-the-sessions\n',
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const world = await crawl(
      configuration(
        origin,
        `type="form" insecure="true" page="${origin}/login.html" user="robot" password="right" successCookie="session"`,
      ),
    );
    expect(await indexedPaths(world)).toEqual(PATHS);
    const logins = () =>
      server
        .read('access.log')
        .split('\n')
        .filter((line) => line.startsWith('/do-login')).length;
    expect(logins()).toBe(1);
    // Sessions by another passphrase are none.
    server.write('passphrase', 'another-passphrase-of-the-sessions\n');
    await restarted(server);
    await visitAgain(world);
    expect(logins()).toBe(2);
    await allIsCurrent(world, origin);
    // A password that changes ends every session: the cookie carries the user and the password of its time.
    server.write('passwords', `${passwordLine('robot', 'other')}\n`);
    await aDayOfRefusals(world);
    expect(logins()).toBe(5);
    server.write('passwords', `${passwordLine('robot', 'right')}\n`);
    await world.engine.logins.test('site');
    await visitAgain(world);
    await allIsCurrent(world, origin);
  });

  it('client certificates: a complete crawl with one, and nothing without', async () => {
    const trusted = authority('Test Authority');
    const own = trusted.issue(['127.0.0.1']);
    const client = trusted.issue(['robot']);
    const files = { 'server.pem': own.cert, 'server.key': own.key, 'authority.pem': trusted.cert };
    const server = await startApache(WANTS_CERTIFICATES, { ...PAGES, ...files });
    const origin = `https://127.0.0.1:${server.port}`;
    const trust = `<cw:CertificateAuthority>${trusted.cert}</cw:CertificateAuthority>`;
    const world = await crawl({
      ...configuration(origin, 'type="certificate" certificate="robot.pem" key="robot.key"', trust),
      files: { 'robot.pem': client.cert, 'robot.key': client.key },
    });
    expect(await indexedPaths(world)).toEqual(PATHS);
    const without = await crawl({
      crawler: `<Root url="${origin}/"/>`,
      more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${trust}</cw:Fetcher>`,
    });
    expect(await without.indexed()).toEqual([]);
  });

  it('client certificates: a certificate whose file is renewed half-way', async () => {
    const first = authority('First Authority');
    const second = authority('Second Authority');
    const own = first.issue(['127.0.0.1']);
    const files = { 'server.pem': own.cert, 'server.key': own.key, 'authority.pem': first.cert };
    const server = await startApache(WANTS_CERTIFICATES, { ...PAGES, ...files });
    const origin = `https://127.0.0.1:${server.port}`;
    const trust = `<cw:CertificateAuthority>${first.cert}</cw:CertificateAuthority>`;
    const folder = temporaryDirectory();
    const renew = ({ cert, key }: Identity): void => {
      writeFileSync(join(folder, 'robot.pem'), cert);
      writeFileSync(join(folder, 'robot.key'), key);
    };
    const settings = {
      ...configuration(origin, 'type="certificate" certificate="robot.pem" key="robot.key"', trust),
      folder,
    };
    renew(first.issue(['robot']));
    const world = await crawl(settings);
    await allIsCurrent(world, origin);
    // The site takes certificates of the other authority alone.
    server.write('authority.pem', second.cert);
    await restarted(server);
    await aDayOfRefusals(world);
    expect(await indexedPaths(world)).toEqual(PATHS);
    expect(await world.state(`${origin}/a.html`)).toMatchObject({ status: 'error', reason: 'login-failed' });
    renew(second.issue(['robot']));
    await world.reconfigure(settings);
    await world.pass(hours(2));
    await visitAgain(world);
    await allIsCurrent(world, origin);
  });
});

/** Reads its configuration again, and ends all connections. */
async function restarted(server: DebianServer): Promise<void> {
  const begun = (): number => server.read('error.log').split('resuming normal operations').length;
  const before = begun();
  server.signal('SIGHUP');
  await vi.waitFor(() => expect(begun()).toBeGreaterThan(before), { timeout: 20_000 });
}

async function crawlThrough(proxy: string): Promise<CrawlWorld> {
  const site = await startSite();
  site.page('/', ['/a.html']).page('/a.html', ['/b.html']).page('/b.html');
  return crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/><cw:Proxy url="${proxy}"/></cw:Fetcher>`,
  });
}

const SQUID = '/usr/sbin/squid';
const SQUID_LOGIN = '/usr/lib/squid/basic_ncsa_auth';
const squidFile = firstMissing([SQUID, SQUID_LOGIN, '/usr/bin/htpasswd']);
const noSquid = squidFile && `${squidFile} is missing: apt-get install squid apache2-utils`;

itUnless(noSquid, 'Squid with a login', async () => {
  const squid = await startDebianServer({
    program: SQUID,
    args: ({ folder }) => ['-N', '-f', `${folder}/squid.conf`],
    files: ({ port, folder }) => ({
      passwords: `${passwordLine('robot', 'right')}\n`,
      'squid.conf': `http_port 127.0.0.1:${port}
auth_param basic program ${SQUID_LOGIN} ${folder}/passwords
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
cache deny all
access_log none
cache_log ${folder}/cache.log
pid_filename ${folder}/squid.pid
coredump_dir ${folder}
visible_hostname proxy.test
shutdown_lifetime 0 seconds
`,
    }),
  });
  expect(await indexedPaths(await crawlThrough(`http://robot:right@127.0.0.1:${squid.port}`))).toEqual(PATHS);
  const refused = await crawlThrough(`http://robot:wrong@127.0.0.1:${squid.port}`);
  expect(await refused.indexed()).toEqual([]);
  expect(JSON.stringify(await refused.engine.roots.list('test'))).toContain('proxy-failed');
});

const MICROSOCKS = firstMissing(['/usr/bin/microsocks']);
const noSocks = MICROSOCKS && `${MICROSOCKS} is missing: apt-get install microsocks`;

itUnless(noSocks, 'a SOCKS5 server (microsocks) with a login', async () => {
  const server = await startDebianServer({
    program: '/usr/bin/microsocks',
    args: ({ port }) => ['-i', '127.0.0.1', '-p', String(port), '-u', 'robot', '-P', 'right'],
    files: () => ({}),
  });
  for (const scheme of ['socks5', 'socks5h'])
    expect(await indexedPaths(await crawlThrough(`${scheme}://robot:right@127.0.0.1:${server.port}`))).toEqual(PATHS);
  const refused = await crawlThrough(`socks5://robot:wrong@127.0.0.1:${server.port}`);
  expect(await refused.indexed()).toEqual([]);
});
