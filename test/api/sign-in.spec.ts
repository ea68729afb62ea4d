/** People sign in to the console with a real OpenID provider. */
import { CookieJar } from 'tough-cookie';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestProvider } from '../support/openid-provider.js';
import { ApiWorld } from './api-world.js';

const KEY = 'a'.repeat(20);
const ended: (() => void)[] = [];

let world: ApiWorld;
let provider: TestProvider;
beforeAll(async () => {
  provider = await TestProvider.start((close) => ended.push(close));
  world = await ApiWorld.start({
    keys: `root:admin:${KEY}`,
    env: provider.environment('crawl-admins:admin,staff:read,test-team:admin@test,other-team:operate@other'),
  });
  provider.serve(`${world.server.url}/auth/callback`, {
    ada: ['staff', 'crawl-admins'],
    bob: ['staff'],
    'bob-2': ['staff'],
    eve: [],
    '<i>eve': [],
    tom: ['test-team'],
    oda: ['other-team'],
    ida: ['staff', 'test-team'],
  });
});
afterAll(async () => {
  await world.stop();
  for (const close of ended) close();
});

/** As much of a browser as a sign-in needs. */
class Browser {
  readonly jar = new CookieJar();

  async send(url: string, form?: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const cookie = await this.jar.getCookieString(url);
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(form ? { method: 'POST', body: Object.keys(form).length > 0 ? new URLSearchParams(form) : undefined } : {}),
    });
    for (const set of answer.headers.getSetCookie()) await this.jar.setCookie(set, url);
    return answer;
  }

  /** Follows redirects, up to one that this test does not want to follow; forms of the provider are filled in. */
  async open(
    url: string,
    name: string,
    before: (url: string) => boolean = () => false,
  ): Promise<{ url: string; answer: Response }> {
    for (let at = url, step = 0; step < 20; step++) {
      if (before(at)) return { url: at, answer: new Response() };
      let answer = await this.send(at);
      if (answer.status === 200 && at.startsWith(provider.issuer)) {
        const page = await answer.clone().text();
        const action = /<form[^>]*action="([^"]+)"/.exec(page)![1]!;
        const prompt = /name="prompt" value="(\w+)"/.exec(page)![1]!;
        answer = await this.send(new URL(action, at).href, { prompt, login: name, password: 'any' });
      }
      const location = answer.headers.get('location');
      if (location === null) return { url: at, answer };
      at = new URL(location, at).href;
    }
    throw new Error('redirects without end');
  }

  signIn(name: string, to = '/urls?status=error') {
    return this.open(`${world.server.url}/auth/sign-in?${new URLSearchParams({ to })}`, name, (url) => {
      const { origin, pathname } = new URL(url);
      return origin === world.server.url && !pathname.startsWith('/auth/');
    });
  }

  async session(): Promise<string> {
    const answer = await this.send(`${world.server.url}/api/v1/session`, undefined, {
      'sec-fetch-site': 'same-origin',
    });
    if (answer.status !== 200) return String(answer.status);
    const { name, role } = (await answer.json()) as { name: string; role: string };
    return `${name} ${role}`;
  }
}

describe('a person who signs in', () => {
  it('returns to the requested page, with the highest role of their groups', async () => {
    const browser = new Browser();
    expect((await world.get('/auth')).body).toEqual({ provider: 'the museum' });
    const { url } = await browser.signIn('ada');
    expect(url).toBe(`${world.server.url}/urls?status=error`);
    expect(await browser.session()).toBe('user:ada admin');
    const other = new Browser();
    await other.signIn('bob');
    expect(await other.session()).toBe('user:bob read');
    const audit = await world.get('audit', { authorization: `Bearer ${KEY}` });
    expect(audit.body.items.map(({ who, what }: Record<string, string>) => `${who} ${what}`)).toEqual(
      expect.arrayContaining(['user:ada signIn', 'user:bob signIn']),
    );
  });

  it('of a department sees and changes its crawlers, and with another group what that allows as well', async () => {
    const look = async (name: string) => {
      const browser = new Browser();
      await browser.signIn(name);
      const call = async (path: string, form?: Record<string, string>) => {
        const headers = { 'sec-fetch-site': 'same-origin' };
        const { status } = await browser.send(`${world.server.url}/api/v1/${path}`, form, headers);
        return status;
      };
      const headers = { 'sec-fetch-site': 'same-origin' };
      const crawlers = await browser.send(`${world.server.url}/api/v1/crawlers`, undefined, headers);
      const { items } = (await crawlers.json()) as { items: { name: string }[] };
      const [pause, config, keys] = [await call('crawlers/test/pause', {}), await call('config'), await call('keys')];
      return [await browser.session(), items.map((crawler) => crawler.name), pause, config, keys];
    };
    expect(await look('tom')).toEqual(['user:tom admin', ['test'], 200, 200, 403]);
    expect(await look('oda')).toEqual(['user:oda operate', [], 403, 200, 403]);
    expect(await look('ida')).toEqual(['user:ida admin', ['test'], 200, 200, 403]);
  });

  it('is told from another one who has chosen the same name', async () => {
    const browser = new Browser();
    await browser.signIn('bob-2');
    expect(await browser.session()).toBe('user:bob#bob-2 read');
    const audit = await world.get('audit', { authorization: `Bearer ${KEY}` });
    const entry = audit.body.items.find(({ who }: { who: string }) => who === 'user:bob#bob-2');
    expect(entry.what).toBe('signIn');
    expect(JSON.parse(entry.after)).toEqual({
      role: 'read',
      issuer: expect.stringMatching(/^http:/),
      subject: 'bob-2',
    });
  });

  it.each([
    '/.//evil.example/x',
    '/..//evil.example/x',
    '//evil.example/x',
    '/\\evil.example/x',
    '/./\\/evil.example/x',
  ])('is not redirected to another host by %s', async (to) => {
    const { url } = await new Browser().signIn('ada', to);
    expect(new URL(url).origin).toBe(world.server.url);
  });

  it('has a cookie that no script can read and no other site can send', async () => {
    const browser = new Browser();
    await browser.signIn('ada');
    const cookie = (await browser.jar.getCookies(world.server.url)).find(({ key }) => key === 'crawlway_session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'strict', path: '/' });
    const of = async (headers: Record<string, string>, form?: Record<string, string>) =>
      (await browser.send(`${world.server.url}/api/v1/${form ? 'crawlers/test/pause' : 'session'}`, form, headers))
        .status;
    expect(await of({ 'sec-fetch-site': 'cross-site' })).toBe(401);
    expect(await of({ 'sec-fetch-site': 'same-site' })).toBe(401);
    expect([401, 403]).toContain(await of({ origin: 'https://evil.example' }, {}));
    expect(await of({}, {})).toBe(401);
    expect(await of({ 'sec-fetch-site': 'none' }, {}), 'an address that was typed sends no form').toBe(401);
    expect(await of({ 'sec-fetch-site': 'same-origin' })).toBe(200);
  });

  it('without a group with a role gets no access, which is in the audit log', async () => {
    const browser = new Browser();
    const { answer } = await browser.signIn('eve');
    expect(answer.status).toBe(403);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const page = await answer.text();
    expect(page).toContain('user:eve has no access: no value of the claim <code>groups</code> grants a role');
    expect(page).toMatch(/sent the claims .*<code>preferred_username<\/code>.*/);
    expect(page).toContain('Sign in as somebody else');
    expect(await browser.session()).toBe('401');
    expect(await (await new Browser().signIn('<i>eve')).answer.text()).toContain('user:&#60;i&#62;eve has no access');
    const audit = await world.get('audit', { authorization: `Bearer ${KEY}` });
    expect(audit.body.items).toContainEqual(expect.objectContaining({ who: 'user:eve', outcome: 'refused: no role' }));
  });

  it('signs out, after which the cookie is no longer valid', async () => {
    const browser = new Browser();
    await browser.signIn('ada');
    expect(await browser.session()).toBe('user:ada admin');
    const cookie = await browser.jar.getCookieString(world.server.url);
    const answer = await fetch(`${world.server.url}/auth/sign-out`, { method: 'POST', headers: { cookie } });
    expect(answer.status).toBe(200);
    const { continueAt } = (await answer.json()) as { continueAt: string };
    expect(continueAt.startsWith(provider.issuer)).toBe(true);
    expect(new URL(continueAt).searchParams.get('post_logout_redirect_uri')).toBe(`${world.server.url}/auth/callback`);
    expect(new URL(continueAt).searchParams.get('id_token_hint')).toMatch(/^ey/);
    // The provider knows whose session it is, and where to go afterwards.
    const page = await browser.send(continueAt);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form')]);
    const back = await browser.send(`${world.server.url}/auth/callback`);
    expect(back.headers.get('location')).toBe(`${world.server.url}/`);
    expect(answer.headers.get('set-cookie')).toMatch(/^crawlway_session=; Max-Age=0;/);
    expect((await world.get('session', { cookie })).status).toBe(401);
  });
});

describe('a response of the provider', () => {
  it.each([
    ['to another state', 502, (url: URL) => url.searchParams.set('state', 'other')],
    ['with another code', 502, (url: URL) => url.searchParams.set('code', 'other')],
    ['of another issuer', 502, (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['that the person has not agreed', 403, (url: URL) => url.searchParams.set('error', 'access_denied')],
  ])('%s is not accepted', async (_, status, change) => {
    const browser = new Browser();
    const { url } = await browser.open(`${world.server.url}/auth/sign-in`, 'ada', (at) =>
      at.includes('/auth/callback?'),
    );
    const forged = new URL(url);
    change(forged);
    expect((await browser.send(forged.href)).status).toBe(status);
    expect(await browser.session()).toBe('401');
  });

  it('that this browser has not requested is refused: no one is signed in as someone else', async () => {
    const { url } = await new Browser().open(`${world.server.url}/auth/sign-in`, 'ada', (at) =>
      at.includes('/auth/callback?'),
    );
    const victim = new Browser();
    expect((await victim.send(url)).status).toBe(403);
    expect(await victim.session()).toBe('401');
  });

  it('leads to this server only, whatever path was requested', async () => {
    const long = `/${'x'.repeat(2_000)}`;
    for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example/', 'javascript:alert(1)', long]) {
      const { url } = await new Browser().signIn('bob', to);
      expect(url, to).toBe(`${world.server.url}/`);
    }
  });
});

it('a server with sign-in and without keys requires signing in, and reports when the provider is unavailable', async () => {
  const away = await ApiWorld.start({
    env: { ...provider.environment('*:read'), CRAWLWAY_OIDC_ISSUER: 'http://127.0.0.1:9/' },
  });
  expect((await away.get('session')).status).toBe(401);
  const { status, body } = await away.get('/auth/sign-in');
  expect([status, body.detail]).toEqual([
    502,
    'The sign-in provider cannot be reached; see the server log for the reason.',
  ]);
  await away.stop();
});

it('a server without sign-in says so', async () => {
  const plain = await ApiWorld.start();
  expect((await plain.get('/auth')).body).toEqual({});
  expect((await plain.get('/auth/sign-in')).status).toBe(404);
  await plain.stop();
});
