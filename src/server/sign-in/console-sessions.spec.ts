import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ADMIN_DATABASES } from '../../../test/support/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { until } from '../../../test/support/until.js';
import { AdminStore } from '../../adapters/storage/shared/admin-store.js';
import { type Duration, minutes, seconds } from '../../domain/time/units.js';
import { formatGrant } from '../security/api-keys.js';
import { ConsoleSessions } from './console-sessions.js';
import { readOidcOptions } from './oidc-options.js';
import { type Grant, OpenIdProvider } from './openid-provider.js';

type Answer = { status: number; groups?: readonly string[] } | 'hangs up';

/** A session of a person, and a provider that answers as the test says. */
async function startSession() {
  let answer: Answer = { status: 200, groups: ['admins'] };
  let asked = 0;
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    response.setHeader('content-type', 'application/json');
    if (request.url !== '/me')
      return response.end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/a`,
          token_endpoint: `${issuer}/t`,
          userinfo_endpoint: `${issuer}/me`,
        }),
      );
    asked++;
    if (answer === 'hangs up') return request.socket.destroy();
    if (answer.status === 401) response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
    response.statusCode = answer.status;
    return response.end(JSON.stringify({ sub: 'ada', groups: answer.groups }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const options = readOidcOptions({
    CRAWLWAY_OIDC_ISSUER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    CRAWLWAY_OIDC_CLIENT_ID: 'crawlway',
    CRAWLWAY_OIDC_ROLES: 'admins:admin,staff:read,staff:operate@hr',
  })!;
  const clock = new ManualClock();
  const provider = new OpenIdProvider(options, clock);
  const store = new AdminStore(await ADMIN_DATABASES[0]!.open(), (error) => error);
  onTestFinished(() => store.close());
  const open = () => new ConsoleSessions(store, clock, (grant) => provider.confirm(grant));
  const sessions = open();
  const token = await sessions.createSession(
    { name: 'user:ada', grants: [{ role: 'admin' }] },
    { subject: 'ada', accessToken: 'a' },
  );
  /** Lets the provider be asked, which is due every ten minutes. */
  const confirm = async (next: Answer, after: Duration = minutes(10)) => {
    answer = next;
    const before = asked;
    const stored = vi.spyOn(store, 'renewSession').mockClear();
    const removed = vi.spyOn(store, 'removeSession').mockClear();
    clock.advance(after);
    await until(() => asked > before);
    await until(() => stored.mock.calls.length + removed.mock.calls.length > 0);
    await Promise.all([...stored.mock.results, ...removed.mock.results].map(({ value }) => value));
  };
  return {
    clock,
    store,
    sessions,
    token,
    confirm,
    open,
    findRole: async () => (await sessions.findCaller(token))?.grants.map(formatGrant).join(' '),
  };
}

it('a person whom the provider does not know any more is signed out within ten minutes', async () => {
  const { confirm, findRole } = await startSession();
  expect(await findRole()).toBe('admin');
  await confirm({ status: 200, groups: ['admins'] });
  expect(await findRole()).toBe('admin');
  await confirm({ status: 401 });
  expect(await findRole()).toBeUndefined();
});

it('a changed role applies, and a lost one ends the session', async () => {
  const { clock, confirm, findRole, sessions, token } = await startSession();
  clock.advance(seconds(595));
  expect(await findRole()).toBe('admin');
  await confirm({ status: 200, groups: ['staff'] }, seconds(5));
  expect(await findRole()).toBe('read operate@hr');
  await confirm({ status: 200, groups: ['others'] });
  expect(await findRole()).toBeUndefined();
  expect(sessions.findGrant(token)).toBeUndefined();
});

it('the provider is asked with what it sent last, and signing out meanwhile ends the session for good', async () => {
  const { clock, store } = await startSession();
  const person = { issuer: '', name: 'user:bob', roles: [{ role: 'read' as const }], claims: [] };
  const asked: Grant[] = [];
  let token = '';
  const sessions: ConsoleSessions = new ConsoleSessions(store, clock, async (grant) => {
    asked.push(grant);
    if (asked.length === 2) await sessions.endSession(token);
    return { ...person, grant: { subject: 'b', refreshToken: '2' } };
  });
  const renewed = vi.spyOn(store, 'renewSession');
  token = await sessions.createSession(
    { name: person.name, grants: person.roles },
    { subject: 'b', refreshToken: '1' },
  );
  for (const round of [1, 2]) {
    expect(await sessions.findCaller(token)).toMatchObject({ name: 'user:bob' });
    clock.advance(minutes(10));
    await until(() => renewed.mock.calls.length === round);
    await Promise.all(renewed.mock.results.map(({ value }) => value));
  }
  expect(asked.map(({ refreshToken }) => refreshToken)).toEqual(['1', '2']);
  expect(await sessions.findCaller(token)).toBeUndefined();
  expect(sessions.findGrant(token)).toBeUndefined();
});

it('a session goes on while the provider does not answer, for eight hours at most', async () => {
  const { clock, confirm, findRole } = await startSession();
  for (let asked = 1; asked < 8 * 6; asked++) {
    await confirm(asked % 2 ? { status: 503 } : 'hangs up');
    expect(await findRole()).toBe('admin');
  }
  clock.advance(minutes(10));
  expect(await findRole()).toBeUndefined();
});

it('a session that its server no longer confirms ends after twenty minutes', async () => {
  const { clock, sessions, token, open } = await startSession();
  sessions.close();
  const other = open();
  clock.advance(minutes(19));
  expect(await other.findCaller(token)).toMatchObject({ grants: [{ role: 'admin' }] });
  clock.advance(minutes(1));
  expect(await other.findCaller(token)).toBeUndefined();
});
