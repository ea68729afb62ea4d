/** Logins that need more than a form with two fields: tokens, headers for cookies, one-time passwords, lifetimes. */
import { expect, it } from 'vitest';
import { computeTotp } from '../../../src/adapters/sessions/logins/form-submission.js';
import { hours, instant, minutes } from '../../../src/domain/time/units.js';
import { crawl, start } from '../../support/scenario.js';
import { PATHS, SessionSite, showPage } from '../../support/session-site.js';

const withLogin = (site: SessionSite, login: string) => ({
  crawler: `<Root url="${site.url('/')}"/>`,
  more: `<cw:Fetcher name="default"><cw:AllowAddress cidr="127.0.0.0/8"/>${login}</cw:Fetcher>`,
});

const FIELDS = '<cw:LoginField name="u" value="robot"/><cw:LoginField name="p" value="right"/>';

it('a form whose fields and button are outside of it is sent where the button says', async () => {
  const site = await SessionSite.start({
    form: `<form id=f method=post action="/wrong"></form><input name="u" form=f><input type="password" name="p" form=f>
      <button form=f formaction="/do-login">go</button>`,
    anybody: (path) => (path === '/wrong' ? { status: 400 } : undefined),
  });
  const world = await crawl({ crawler: `<Root url="${site.url('/')}"/>`, more: site.fetcher() });
  expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
  expect(site.requests).toContain('POST /do-login');
});

it('the token of a JSON response, asked for with the CSRF header of a cookie, opens the pages and is renewed', async () => {
  const issued: string[] = [];
  const site = await SessionSite.start({
    anybody: (path, _site, { method, headers }) => {
      if (path === '/login') return { headers: { 'set-cookie': 'XSRF-TOKEN=a%3Db; Path=/' } };
      if (path === '/api/login' && method === 'POST') {
        if (headers['x-xsrf-token'] !== 'a=b') return { status: 419 };
        issued.push(`token-${issued.length + 1}`);
        const body = JSON.stringify({ data: { token: issued.at(-1) } });
        return { headers: { 'content-type': 'application/json' }, body };
      }
      return headers.authorization === `Bearer ${issued.at(-1)}` ? showPage(path) : { status: 403 };
    },
  });
  const login = `<cw:Login name="site" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}"
    tokenPath="data.token" csrfCookie="XSRF-TOKEN" maxLoginsPerHour="3"><cw:LoginStep json="${site.url('/api/login')}">${FIELDS}</cw:LoginStep></cw:Login>`;
  const world = await crawl(withLogin(site, login));
  const urls = PATHS.map((path) => site.url(path));
  expect(await world.indexed()).toEqual(urls);
  issued.push('revoked');
  await world.engine.maintenance.refresh('test', { like: '%' });
  await world.untilIdle(minutes(5));
  expect(await world.indexed()).toEqual(urls);
  expect(issued).toEqual(['token-1', 'revoked', 'token-3']);
});

it('a response without the token fails the login, and says where it was expected', async () => {
  const site = await SessionSite.start({ anybody: (path) => (path === '/api' ? { body: '{"data":{}}' } : undefined) });
  const login = `<cw:Login name="site" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}"
    tokenPath="data.token"><cw:LoginStep json="${site.url('/api')}">${FIELDS}</cw:LoginStep></cw:Login>`;
  const world = await start({ ...withLogin(site, login), crawler: '' });
  const detail = `the response from ${site.url('/api')} has no token at data.token`;
  expect(await world.engine.logins.test('site')).toMatchObject({ failure: 'changed', detail });
});

it('a one-time password is computed when its field is filled in', async () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const sent: string[] = [];
  const site = await SessionSite.start({
    form: '<form method="get" action="/otp"><input name="code"></form>',
    anybody: (path, own) => {
      if (!path.startsWith('/otp?')) return undefined;
      sent.push(new URLSearchParams(path.slice(5)).get('code') ?? '');
      own.sessions.add('second-factor');
      return { status: 302, headers: { location: '/', 'set-cookie': 'sid=second-factor; Path=/' } };
    },
  });
  const login = `<cw:Login name="site" type="form" insecure="true" url="${site.url('/')}" page="${site.url('/login')}">
    <cw:LoginStep><cw:LoginField name="code" totp="${secret}"/></cw:LoginStep></cw:Login>`;
  const world = await crawl(withLogin(site, login));
  expect(await world.indexed()).toEqual(PATHS.map((path) => site.url(path)));
  expect(sent).toEqual([computeTotp(secret, instant(Date.UTC(2026, 0, 1)))]);
});

it('a session with a known lifetime is renewed before its end, as often as that is', async () => {
  const site = await SessionSite.start();
  const world = await crawl({
    crawler: `<Root url="${site.url('/')}"/>`,
    more: site.fetcher('sessionLifetimeS="600" maxLoginsPerHour="2"'),
  });
  for (let round = 0; round < 12; round++) {
    await world.pass(minutes(10));
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle(minutes(5));
  }
  expect(site.logins).toBe(13);
  expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', logins: 13 }]);
  expect(world.engine.logins.list()[0]?.lastSessionEnd).toBeUndefined();
  await world.pass(hours(1));
});
