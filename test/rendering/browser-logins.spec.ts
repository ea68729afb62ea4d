/** Logins of type `browser`: a login page that scripts make, behind a consent banner, in a real Chromium. */
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { minutes } from '../../src/domain/time/units.js';
import type { CrawlWorld } from '../support/crawl-world.js';
import { FakeSite } from '../support/fake-site.js';
import { describeUnless, noBrowser } from '../support/left-out.js';
import { type Answer, PATHS, SessionSite } from '../support/session-site.js';
import { renderingWorld } from './rendering-world.js';

/** Scripts make this page. Nothing but the banner can be clicked before it is accepted. */
const START = (idp: string) => `<title>Log in</title><div id=app></div><script type=module>
  const banner = document.createElement('div');
  banner.style = 'position:fixed;inset:0;background:#fff';
  banner.innerHTML = '<p>We value your privacy</p><button id=accept>Accept</button>';
  document.body.append(banner);
  banner.querySelector('button').onclick = () => { document.cookie = 'consent=yes'; banner.remove(); };
  app.innerHTML = '<button class="sign-in">Sign in</button>';
  app.firstChild.onclick = () => { location.href = '${idp}/authorize?client=app'; };
</script>`;

/** The sign-in server: its form sends JSON and gets back an assertion, which a form carries to the application at once. */
const SIGN_IN = `<title>Identity</title><div id=root></div><script type=module>
  root.innerHTML = '<form><input id=user><input id=pass type=password><input id=otp><button>Go</button><p id=error></p></form>';
  root.querySelector('form').onsubmit = async (event) => {
    event.preventDefault();
    const value = (id) => document.getElementById(id).value;
    const body = JSON.stringify({ user: value('user'), pass: value('pass'), otp: value('otp') });
    const headers = { 'content-type': 'application/json' };
    const { acs, assertion } = await (await fetch('/session', { method: 'POST', headers, body })).json();
    if (!acs) { error.textContent = 'Wrong user or password'; return; }
    document.body.innerHTML = '<form method=post><input type=hidden name=SAMLResponse></form>';
    document.forms[0].action = acs;
    document.forms[0].SAMLResponse.value = assertion;
    document.forms[0].submit();
  };
</script>`;

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const computeCode = (now: number): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000)));
  const digest = createHmac('sha1', '12345678901234567890').update(counter).digest();
  const code = digest.readUInt32BE(digest[19]! & 0xf) & 0x7fffffff;
  return String(code % 1_000_000).padStart(6, '0');
};

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** An application on one address, and its sign-in server on another one. */
async function startSites(world: () => CrawlWorld) {
  const idp = await FakeSite.start('127.0.0.2');
  onTestFinished(() => idp.close());
  const app = await SessionSite.start({
    stranger: () => ({ status: 302, headers: { location: '/welcome' } }),
    anybody: (path, site, request): Answer | undefined => {
      if (path === '/welcome') return { body: START(idp.origin) };
      if (path !== '/acs' || request.method !== 'POST') return undefined;
      if (!/consent=yes/.test(request.headers.cookie ?? '')) return { status: 400, body: 'no consent' };
      site.logins++;
      site.sessions.add('s1');
      return { status: 303, headers: { location: '/', 'set-cookie': 'sid=s1; Path=/; HttpOnly' } };
    },
  });
  const html = { 'content-type': 'text/html' };
  idp.set('/authorize?client=app', {
    headers: { ...html, 'content-security-policy': "script-src 'unsafe-inline'; connect-src 'self'" },
    body: SIGN_IN,
  });
  idp.set('/session', (request, response) => {
    void readBody(request).then((body) => {
      const { user, pass, otp } = JSON.parse(body) as Record<string, string>;
      const isRight = user === 'robot' && pass === 'p"w' && otp === computeCode(world().clock.now());
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isRight ? { acs: app.url('/acs'), assertion: 'signed' } : {}));
    });
    return undefined;
  });
  return { app, idp };
}

const STEPS =
  'click? #accept; click .sign-in; wait #user; fill #user with user; fill #pass with password; fill #otp with code; click button';

async function crawlApp({ password = 'p&quot;w', steps = STEPS, sendTo = true } = {}) {
  let world: CrawlWorld | undefined;
  const sites = await startSites(() => world!);
  const { app, idp } = sites;
  const fetcher = `<cw:Login name="app" type="browser" insecure="true" url="${app.url('/')}" page="${app.url('/welcome')}" check="${app.url('/')}"
    ${sendTo ? `sendTo="${idp.origin}"` : ''} user="robot" password="${password}" refusedText="Wrong user" steps="${steps}"><cw:LoginField name="code" totp="${SECRET}"/></cw:Login>`;
  world = await renderingWorld({ attributes: '', crawler: `<Root url="${app.url('/')}"/>`, fetcher });
  onTestFinished(() => world!.close());
  await world.untilIdle(minutes(1));
  return { world, ...sites };
}

describeUnless(noBrowser, 'a login in the browser', () => {
  it('comes in through a consent banner, scripts and a form that sends itself; pages are fetched without the browser', async () => {
    const { world, app } = await crawlApp();
    const urls = PATHS.map((path) => app.url(path));
    expect(world.engine.logins.list()).toMatchObject([{ state: 'logged-in', logins: 1 }]);
    expect([...world.pushed().keys()].sort()).toEqual(urls);
    const steps = world.engine.logins.list()[0]!.steps.map(({ what, status }) => `${what} ${status ?? ''}`.trim());
    expect(steps).toEqual([
      'opened a page 200',
      'clicked #accept',
      'opened a page 200',
      'clicked .sign-in',
      'waited for #user',
      'filled in #user with user',
      'filled in #pass with password',
      'filled in #otp with code',
      'sent a form 303',
      'opened a page 200',
      'clicked button',
      'asked for the page to check as a stranger 302',
      'read the page to check with the session 200',
    ]);
    expect(JSON.stringify(world.engine.logins.list())).not.toContain('p\\"w');

    app.endSessions();
    await world.engine.maintenance.refresh('test', { like: '%' });
    await world.untilIdle(minutes(5));
    expect([...world.pushed().keys()].sort()).toEqual(urls);
    expect(app.logins).toBe(2);
    for (const url of urls) expect(await world.state(url)).toMatchObject({ reason: 'indexed' });
  });

  it('is refused with a wrong password, which is tried three times and never shown', async () => {
    const { world, app } = await crawlApp({ password: 'wrong-password' });
    await world.pass(minutes(60));
    expect(world.engine.logins.list()).toMatchObject([
      { state: 'stopped', detail: 'the site says that the user or the password is wrong' },
    ]);
    expect(app.requests.filter((request) => request === 'GET /welcome')).toHaveLength(3);
    expect(JSON.stringify(world.engine.logins.list())).not.toContain('wrong-password');
    expect(await world.state(app.url('/'))).toMatchObject({ reason: 'login-failed' });
  });

  it.each([
    [
      'leads to a server that it does not name',
      { sendTo: false },
      /^the login leads to http:\/\/127\.0\.0\.2:\d+: set sendTo=/,
    ],
    [
      'looks for an element that is not there',
      { steps: 'click? #accept; click .log-in' },
      /^the step "click \.log-in" was not possible/,
    ],
    ['ends before it has come in', { steps: 'click #accept' }, /^the login has not come in/],
  ])('that %s says so', async (_, options, message) => {
    const { world, idp } = await crawlApp(options);
    const [login] = world.engine.logins.list();
    expect(login!.detail).toMatch(message);
    expect(idp.fetched).toEqual([]);
  });
});
