import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PROJECT_ROOT } from '../../src/server/project-root.js';
import { ApiWorld, type Problem } from './api-world.js';

const KEYS = { read: 'r'.repeat(20), operate: 'o'.repeat(20), admin: 'a'.repeat(20) };
const keyed = Object.entries(KEYS)
  .map(([role, key]) => `${role}er:${role}:${key}`)
  .concat(`127.0.0.1:read:${'l'.repeat(20)}`, `department:admin@1:${'d'.repeat(20)}`, `clerk:read@1:${'c'.repeat(20)}`)
  .join(',');
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

let open: ApiWorld;
let closed: ApiWorld;
beforeAll(async () => {
  [open, closed] = await Promise.all([ApiWorld.start(), ApiWorld.start({ keys: keyed })]);
});
afterAll(async () => {
  await Promise.all([open.stop(), closed.stop()]);
});

interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The same call, for another crawler. */
  readonly pathOfOther: string;
  /** What the description says about roles that are limited to crawlers. */
  readonly limited: string | undefined;
  /** That the description names; absent for a call that needs no key. */
  readonly role: Role | undefined;
}

const ROLES = ['read', 'operate', 'admin'] as const;
type Role = (typeof ROLES)[number];

/** Calls without a key; a new one has to be meant. */
const OPEN_CALLS = [
  'getLiveness',
  'getReadiness',
  'tellUrl',
  'tellUrls',
  'confirmSubscription',
  'hubNotifies',
  'keyDirectory',
  'getSignIn',
  'beginSignIn',
  'finishSignIn',
  'signOut',
];

interface Operation {
  readonly operationId: string;
  readonly description: string;
  readonly security?: readonly unknown[];
}

/** The path with the crawler, whose secrets begin with its name. */
const fill = (path: string, crawler: string): string =>
  path
    .replace('{crawler}', crawler)
    .replace('/secrets/{name}', `/secrets/${crawler}.x`)
    .replaceAll(/\{\w+\}/g, '1');

/** Every call of the API. */
function allCalls(): Call[] {
  const { paths } = load(readFileSync(join(PROJECT_ROOT, 'openapi.yaml'), 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId: id, description }]) => ({
      id,
      method: method.toUpperCase(),
      path: fill(path, '1'),
      limited: /limited to crawlers: (.*)/.exec(description)?.[1] ?? (/\{crawler\}/.test(path) ? 'path' : 'server'),
      pathOfOther: fill(path, '2'),
      role: ROLES.find((role) => role === /Role: (\w+)\./.exec(description)?.[1]),
    })),
  );
}

/** The status of a call without a body; an endless answer is not waited for. */
function statusOf({ method, path }: Pick<Call, 'method' | 'path'>, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(closed.server.url + path, { method, headers }, (response) => {
      resolve(response.statusCode!);
      response.destroy();
    });
    call.on('error', reject).end();
  });
}

/** A request as it is written here, unlike fetch, which has its own mind about Host and Origin. */
function raw(
  world: ApiWorld,
  headers: Record<string, string>,
  method = 'GET',
  path = '/api/v1/session',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(world.server.url + path, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    call.on('error', reject).end();
  });
}

describe('a server with API keys', () => {
  it('names a role for each call of the description, but for those that are open', () => {
    const calls = allCalls();
    expect(calls.length).toBeGreaterThan(80);
    expect(calls.filter(({ role }) => role === undefined).map(({ id }) => id)).toEqual(OPEN_CALLS);
  });

  it.each(allCalls().map((call) => [call.id, call] as const))('lets those call %s who may', async (_, call) => {
    const callers: Readonly<Record<string, Record<string, string>>> = {
      nobody: {},
      'a wrong key': bearer('x'.repeat(20)),
      read: bearer(KEYS.read),
      operate: bearer(KEYS.operate),
      admin: bearer(KEYS.admin),
    };
    for (const [caller, headers] of Object.entries(callers)) {
      const status = await statusOf(call, headers);
      const rank = (ROLES as readonly string[]).indexOf(caller);
      const refusal = rank < 0 ? 401 : 403;
      const isAllowed = call.role === undefined || rank >= ROLES.indexOf(call.role);
      if (isAllowed) expect([401, 403, 429, 500], caller).not.toContain(status);
      else expect([caller, status]).toEqual([caller, refusal]);
    }
  });

  it.each(allCalls().flatMap((call) => (call.role ? [[call.id, call] as const] : [])))(
    'limits roles for one crawler to that crawler in %s',
    async (id, { method, path, pathOfOther, role, limited = '' }) => {
      const ask = (key: string, ownPath: string) => statusOf({ method, path: ownPath }, bearer(key.repeat(20)));
      const isQuery = limited.startsWith('`crawler` has to name one');
      const isAllowed = !/^(server|may not make the call)/.test(limited);
      const own = await ask('d', path);
      if (isAllowed) expect([401, 403, 429, 500]).not.toContain(own);
      else expect(own).toBe(403);
      // The body of putSecret is read before its name is judged: see departments.spec.ts.
      if (pathOfOther !== path && id !== 'putSecret') expect(await ask('d', pathOfOther)).toBe(403);
      if (isQuery) {
        for (const query of ['crawler=2', 'crawler=1&crawler=2', 'crawler=2&crawler=2', 'crawler='])
          expect([query, await ask('d', `${path}?${query}`)]).toEqual([query, 403]);
        expect(await ask('d', `${path}?crawler=1`)).not.toBe(403);
      }
      if (role !== 'read') expect(await ask('c', path)).toBe(403);
    },
  );

  it('answers a method that a path does not have with those that it has', async () => {
    const answer = (method: string, path: string) => closed.send(method, path, undefined, bearer(KEYS.admin));
    const { status, headers, body } = await answer('DELETE', 'crawlers/test/pause');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    expect(body.detail).toBe('The path does not have the method DELETE; it has POST.');
    expect((await answer('PATCH', 'config')).headers.get('allow')).toBe('GET, HEAD, PUT');
    // Paths that the files of the console and `rules/{index}` match, too.
    for (const [method, path] of [
      ['GET', 'config/preview'],
      ['PUT', 'config/crawlers/test/rules/preview'],
    ] as const) {
      const refused = await answer(method, path);
      expect([refused.status, refused.headers.get('allow')], path).toEqual([405, 'POST']);
    }
    for (const [method, path] of [
      ['POST', 'no/such/path'],
      ['GET', 'crawlers/nobody'],
    ] as const)
      expect((await answer(method, path)).status).toBe(404);
  });

  const sent = { 'content-length': 60_000_000 };
  it.each([
    ['/api/v1/crawlers/test/roots/list', sent],
    ['/api/v1/crawlers/test/roots/list', { 'transfer-encoding': 'chunked' }],
    ['/indexnow/x', sent],
    ['/websubx', sent],
  ])('does not wait for the body of a request without a key: %s %j', async (path, length) => {
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'text/plain', ...length };
      const call = request(closed.server.url + path, { method: 'POST', headers });
      call.on('response', (response) => {
        resolve(response.statusCode);
        call.destroy();
      });
      call.on('error', reject).write('http://127.0.0.1/');
    });
    expect(status).toBe(401);
  });

  it('knows a key by either header', async () => {
    expect((await closed.get('session', bearer(KEYS.read))).body).toMatchObject({ name: 'reader', role: 'read' });
    expect((await closed.get('session', { 'x-api-key': KEYS.admin })).body).toMatchObject({ role: 'admin' });
    expect((await closed.get('session', { authorization: `bearer ${KEYS.read}` })).status).toBe(200);
    expect((await closed.get('session', { authorization: `Not-Bearer ${KEYS.read}` })).status).toBe(401);
    expect((await closed.get('/metrics', bearer(KEYS.read))).status).toBe(200);
  });

  it('records who changed what, from what to what, and who failed to', async () => {
    await closed.send('POST', 'crawlers/test/pause', undefined, bearer(KEYS.operate));
    await closed.send('POST', 'crawlers/nobody/pause', undefined, bearer(KEYS.admin));
    const { body } = await closed.get('audit', bearer(KEYS.admin));
    expect(body.items[0]).toMatchObject({
      who: 'adminer',
      what: 'pauseCrawler',
      target: '/api/v1/crawlers/nobody/pause',
    });
    expect(body.items[0].outcome).toMatch(/^failed: there is no crawler/);
    expect(body.items[1]).toMatchObject({ who: 'operateer', what: 'pauseCrawler', outcome: 'done' });
    expect(JSON.parse(body.items[1].before)).toEqual({ state: 'running' });
    expect(JSON.parse(body.items[1].after)).toEqual({ state: 'paused' });
  });

  it('records no secret of an address, neither one in an encoded URL nor one with encoded separators', async () => {
    const details: string[] = [];
    for (const path of ['hosts/http%3A%2F%2Fuser%3AS3CRET%40h/pause', 'crawlers/nobody/pause?token=a%26S3CRET'])
      details.push((await closed.send<Problem>('POST', path, undefined, bearer(KEYS.admin))).body.detail);
    const { body } = await closed.get('audit?limit=2', bearer(KEYS.admin));
    expect(body.items.map(({ target }: { target: string }) => target)).toEqual([
      '/api/v1/crawlers/nobody/pause?token=***',
      '/api/v1/hosts/http://***@h/pause',
    ]);
    expect(details[0]).toContain('http://***@h');
    expect(JSON.stringify([details, body])).not.toContain('S3CRET');
  });

  it('limits anonymous calls by address and others by key, without effect on other callers', async () => {
    const world = await ApiWorld.start({ keys: keyed, callsPerMinute: 3 });
    onTestFinished(() => world.stop());
    const call = (key: string) => world.get('session', bearer(key));
    const granted = { ['x'.repeat(20)]: 401, [KEYS.read]: 200 };
    for (const [key, first] of Object.entries(granted)) {
      for (const status of [first, first, first, 429]) expect((await call(key)).status).toBe(status);
      const { headers, body } = await call(key);
      expect(body.detail).toMatch(/^Too many calls: more than 3 of this kind within a minute\. /);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await call('y'.repeat(20))).status).toBe(429);
    expect((await call(KEYS.admin)).status).toBe(200);
    expect((await call('l'.repeat(20))).status, 'a key whose name is the address of other callers').toBe(200);
  });

  it('responds for any host name, because the key is required', async () => {
    expect(await raw(closed, { host: 'crawl.example', ...bearer(KEYS.read) })).toBe(200);
  });
});

describe('a server without API keys', () => {
  it('responds only for host names of this machine', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'localhost:8740'])
      expect(await raw(open, { host })).toBe(200);
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1']) {
      expect(await raw(open, { host })).toBe(403);
    }
    const { hostname, port } = new URL(open.server.url);
    const check = connect(Number(port), hostname, () => check.end('GET /health/live HTTP/1.0\r\n\r\n'));
    expect(await text(check), 'a health check of HTTP/1.0').toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('any server', () => {
  it('refuses writes that a browser sends from another site', async () => {
    const write = (headers: Record<string, string>) => raw(open, headers, 'POST', '/api/v1/crawlers/test/start');
    expect(await write({ origin: 'https://evil.example' })).toBe(403);
    expect(await write({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await write({ origin: open.server.url, host: new URL(open.server.url).host })).toBe(200);
    expect(await write({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(
      (await open.get('crawlers', { origin: 'https://evil.example' })).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });

  it('sends a strict security policy and no server name with every response', async () => {
    for (const path of ['/', '/docs', '/nothing-here', '/api/v1/crawlers', '/health/live']) {
      const { headers } = await open.get(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).not.toContain("script-src 'self' 'unsafe");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('server')).toBeNull();
    }
  });

  it('accepts only the media types that a call declares, and limits the size and depth of bodies', async () => {
    const post = (body: string, type: string) =>
      open.send('POST', 'crawlers/test/roots', body, { 'content-type': type });
    expect((await post('url=x', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await post('<x/>', 'application/xml')).status).toBe(415);
    expect((await post('{"url": ', 'application/json')).status).toBe(400);
    expect((await post('[]', 'application/json')).status).toBe(400);
    expect((await post('"text"', 'application/json')).status).toBe(400);
    expect((await post('null', 'application/json')).status).toBe(400);
    expect((await post(`{"url":${'['.repeat(100_000)}`, 'application/json')).status).toBe(400);
    expect((await post(`{"url":"${'x'.repeat(2 << 20)}"}`, 'application/json')).status).toBe(413);
    const polluting = `{"url":"${open.site.url('/')}","__proto__":{"site":"no boolean"}}`;
    expect((await post(polluting, 'application/json')).status).toBe(400);
    expect(({} as { site?: string }).site).toBeUndefined();
  });

  it('responds to unknown paths, methods and malformed URLs with a problem document', async () => {
    const expected = [
      ['GET', '/api/v1/nothing', 404],
      ['DELETE', '/api/v1/session', 405],
      ['GET', '/api/v1/crawlers/%ff', 400],
      ['GET', '/api/v1/crawlers/test/urls?limit=0', 400],
      ['GET', '/api/v1/crawlers/test/urls?limit=1001', 400],
      ['GET', '/api/v1/crawlers/test/urls?limt=1', 400],
      ['GET', '/api/v1/crawlers/test/explain', 400],
      ['GET', '/api/v1/crawlers/test/explain?url=a&url=b', 400],
    ] as const;
    for (const [method, path, status] of expected) {
      const answer = await open.send(method, path);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(answer.body).toMatchObject({
        status,
        instance: path,
        type: expect.any(String),
        title: expect.any(String),
      });
    }
  });
});

describe('a short key', () => {
  it('is accepted with a warning that names it', async () => {
    const world = await ApiWorld.start({ keys: `ops:admin:change-me,${keyed}` });
    try {
      expect((await world.get('crawlers', bearer('change-me'))).status).toBe(200);
      const warnings = world.logged.filter((line) => /short keys/.test(line));
      expect(warnings).toEqual([expect.stringContaining('(ops)')]);
      expect(world.logged.join('\n')).not.toContain('change-me');
    } finally {
      await world.stop();
    }
  });
});
