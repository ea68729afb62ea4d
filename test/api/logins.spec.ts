/** Logins of a running server: what is kept of them, what a test of one shows, and what changes without a restart. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { authority } from '../support/certificates.js';
import { crawlwayCommand } from '../support/crawlway-command.js';
import { type FakeAnswer, html } from '../support/fake-site.js';
import { MemberSite } from '../support/member-site.js';
import { startSite } from '../support/scenario.js';
import { ApiWorld, type WorldOptions } from './api-world.js';

const folder = mkdtempSync(join(tmpdir(), 'crawlway-secrets-'));
vi.stubEnv('CRAWLWAY_SECRETS_FOLDERS', folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function startWorld(options: WorldOptions): Promise<ApiWorld> {
  const world = await ApiWorld.start(options);
  onTestFinished(() => world.stop());
  return world;
}

const membersOf = (site: MemberSite): string =>
  `<cw:Login name="members" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}?from=crawl"
    user="robot" password="right" refusedText="Wrong name" lockedText="is locked"/>`;

async function startMembers() {
  const site = await MemberSite.start({ kind: 'csrf', pages: ['/', '/a'] });
  const world = await startWorld({ crawler: `<Root url="${site.url('/')}"/>`, fetcher: membersOf(site) });
  return { site, world };
}

it("a form login's session survives a restart of the server", async () => {
  const { site, world } = await startMembers();
  await world.caughtUp(2);
  expect(site.tried).toEqual(['right']);
  await world.restart();
  expect((await world.get('logins')).body.items).toMatchObject([{ name: 'members', state: 'logged-in' }]);
  const before = site.fetched.filter((path) => path === '/a').length;
  await world.send('POST', 'crawlers/test/refresh', { url: site.url('/a') });
  await expect.poll(() => site.fetched.filter((path) => path === '/a').length).toBeGreaterThan(before);
  await world.caughtUp(2);
  expect(site.tried).toEqual(['right']);
});

it('a login test shows each step with its status and URL, and no secret', async () => {
  const { site, world } = await startMembers();
  await world.caughtUp(2);
  const { status, body, text } = await world.send('POST', 'logins/members/test');
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: 'members', type: 'form', state: 'logged-in', refused: 0 });
  expect(body.steps).toEqual([
    { what: 'opened the login page', url: site.url('/login'), status: 200, detail: 'sets sid' },
    { what: 'sent the form', url: site.url('/login'), status: 302, detail: 'redirects to /; sets sid' },
    { what: 'followed the redirect', url: site.url('/'), status: 200, detail: 'sets sid' },
    {
      what: 'checked whether the login succeeded',
      url: site.url('/'),
      status: 200,
      detail: 'the page is not the login form',
    },
    { what: 'asked for the page to check as a stranger', url: site.url('/'), status: 302 },
    { what: 'read the page to check with the session', url: site.url('/'), status: 200 },
  ]);
  expect(text).not.toContain('right');
  expect((await world.send('POST', 'logins/others/test')).status).toBe(404);
});

it.each([
  [
    'a form that is not found, with the forms that there are and their fields',
    (site: MemberSite) => {
      site.rebuilt = true;
    },
    'changed',
    /has no form with the fields :user, :password: the page has form search with q; form login with csrf, mail, word, go/,
  ],
  [
    'a wrong password',
    (site: MemberSite) => {
      site.password = 'another';
    },
    'refused',
    /says that the user or the password is wrong/,
  ],
  [
    'a locked account',
    (site: MemberSite) => {
      site.locked = true;
    },
    'locked',
    /says that the account is locked/,
  ],
] as const)('`crawlway login test` reports %s', async (_what, change, failure, detail) => {
  const { site, world } = await startMembers();
  await world.caughtUp(2);
  change(site);
  const { body, text } = await world.send('POST', 'logins/members/test');
  expect(body).toMatchObject({ failure, detail: expect.stringMatching(detail) });
  expect(text).not.toContain('right');
  const { code, output } = await command('login', 'test', 'members', '--server', world.server.url);
  expect(code).toBe(2);
  expect(output).toContain(`1. opened the login page ${site.url('/login')} -> 200\n`);
  expect(output).toMatch(new RegExp(`login members failed \\(${failure}\\): .*${detail.source}`));
  expect(output).not.toContain('right');
});

it('`crawlway login test` and `login list` show a login that works', async () => {
  const { site, world } = await startMembers();
  // Until then, the crawl logs in as well.
  await world.caughtUp(2);
  const { code, output } = await command('login', 'test', 'members', '--server', world.server.url);
  expect(output.split('\n')).toEqual([
    `1. opened the login page ${site.url('/login')} -> 200`,
    '   sets sid',
    `2. sent the form ${site.url('/login')} -> 302`,
    '   redirects to /; sets sid',
    `3. followed the redirect ${site.url('/')} -> 200`,
    '   sets sid',
    `4. checked whether the login succeeded ${site.url('/')} -> 200`,
    '   the page is not the login form',
    `5. asked for the page to check as a stranger ${site.url('/')} -> 302`,
    `6. read the page to check with the session ${site.url('/')} -> 200`,
    'login members works',
    '',
  ]);
  expect(code).toBe(0);
  const list = await command('login', 'list', '--server', world.server.url);
  expect(list.output).toMatch(/members +form +http:\S+ +logged-in +20\d\d-/);
});

/** The command line, and how it ended. */
function command(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--no-warnings', ...crawlwayCommand(), ...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
    );
  });
}

it('a bearer token from a changed file is used without a restart', async () => {
  const site = await startSite();
  let token = 'first-token';
  const sent: string[] = [];
  for (const path of ['/', '/a'])
    site.set(path, ({ headers }): FakeAnswer => {
      sent.push(headers.authorization ?? 'nothing');
      if (headers.authorization !== `Bearer ${token}`)
        return { status: 401, headers: { 'www-authenticate': 'Bearer realm="api"' } };
      return { headers: { 'content-type': 'text/html' }, body: html(path, ['/a']) };
    });
  const file = join(folder, 'token');
  writeFileSync(file, `${token}\n`);
  const world = await startWorld({
    crawler: `<Root url="${site.url('/')}"/>`,
    fetcher: `<cw:Login name="api" type="bearer" insecure="true" url="${site.url('/')}" token="\${file:${file}}"/>`,
  });
  await world.caughtUp(2);
  expect(new Set(sent)).toEqual(new Set(['Bearer first-token']));
  token = 'second-token';
  writeFileSync(file, `${token}\n`);
  sent.length = 0;
  await world.send('POST', 'crawlers/test/refresh', { url: site.url('/a') });
  // Twice where the first token is refused before the file is read again: by the login's check and by the visit.
  await expect.poll(() => sent).toContain('Bearer second-token');
  await expect
    .poll(async () => (await world.get('logins')).body.items)
    .toMatchObject([{ state: 'logged-in', refused: 0 }]);
  expect(world.logged.join('\n')).not.toMatch(/(?:first|second)-token/);
  await world.caughtUp(2);
});

it('a client certificate that is renewed on disk is used without a restart', async () => {
  const trusted = authority('Test Authority');
  const own = trusted.issue(['127.0.0.1']);
  const shown: string[] = [];
  let refused = '';
  const server = createServer(
    { key: own.key, cert: own.cert, ca: trusted.cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { serialNumber } = (request.socket as TLSSocket).getPeerCertificate();
      shown.push(serialNumber);
      const isRefused = serialNumber === refused;
      response.writeHead(isRefused ? 401 : 200, { 'content-type': 'text/html', connection: 'close' });
      response.end(isRefused ? '' : html('/', []));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const first = trusted.issue(['robot']);
  const second = trusted.issue(['robot']);
  const world = await startWorld({
    crawler: `<Root url="${url}"/>`,
    fetcher: `<cw:CertificateAuthority>${trusted.cert}</cw:CertificateAuthority><cw:Login name="site" type="certificate" url="${url}" certificate="robot.pem" key="robot.key"/>`,
    files: { 'robot.pem': first.cert, 'robot.key': first.key },
  });
  await world.caughtUp(1);
  refused = shown[0]!;
  expect(new Set(shown)).toEqual(new Set([refused]));
  await world.send('POST', 'crawlers/test/refresh', { url });
  await expect.poll(async () => (await world.get('logins')).body.items[0].state).toBe('failing');
  writeFileSync(join(world.folder, 'config', 'robot.key'), second.key);
  writeFileSync(join(world.folder, 'config', 'robot.pem'), second.cert);
  await expect.poll(async () => (await world.get('logins')).body.items[0].state).toBe('logged-in');
  expect(shown.at(-1)).not.toBe(refused);
  await world.caughtUp(1);
});
