import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

const KEYS = { admin: 'a'.repeat(20), operate: 'o'.repeat(20) };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(KEYS.admin);

describe('limits of the API', () => {
  let world: ApiWorld;
  beforeAll(async () => {
    world = await ApiWorld.start({ keys: `boss:admin:${KEYS.admin},op:operate:${KEYS.operate}` });
  }, 60_000);
  afterAll(() => world.stop());

  const list = (text: string) => world.send('POST', 'crawlers/test/roots/list', text, ADMIN);

  it('a URL list of a hundred thousand invalid lines is counted, and the first thousand are listed with their lines', async () => {
    const { status, body } = await list(`# sites\n${'x\n'.repeat(100_000)}${world.site.url('/a.html')}\n`);
    expect([status, body.rejected, body.rejections.length, body.new + body.known]).toEqual([200, 100_000, 1_000, 1]);
    expect([body.rejections[0].line, body.rejections[999].line]).toEqual([2, 1_001]);
  }, 60_000);

  it('an overlong line and one with a NUL are rejected individually', async () => {
    const { body } = await list(`http://h/${'a'.repeat(1_000_000)}\nhttp://h/\0\n${world.site.url('/b.html')}\n`);
    expect(body).toMatchObject({
      rejected: 2,
      rejections: [
        { line: 1, message: 'longer than 65536 characters' },
        { line: 2, message: 'contains a NUL character' },
      ],
    });
    expect(body.rejections[0].url.length).toBeLessThan(300);
  });

  it('a list of too many lines is refused as a whole', async () => {
    expect((await list('\n'.repeat(2_000_001))).status).toBe(413);
  });

  it('a pattern with a NUL is refused', async () => {
    for (const [method, path, body] of [
      ['DELETE', 'crawlers/test/urls?like=%00&confirm=true', undefined],
      ['GET', 'crawlers/test/urls?like=%00', undefined],
      ['POST', 'crawlers/test/refresh', { like: '\0' }],
    ] as const)
      expect((await world.send(method, path, body, ADMIN)).status, path).toBe(400);
    expect((await world.get('crawlers/test', ADMIN)).body.indexed).toBeGreaterThanOrEqual(0);
  });

  it('refused calls are in the log, the audit log and the metrics, without the key', async () => {
    await world.get(`crawlers/${'x'.repeat(400)}`, bearer('guess-guess-guess'));
    await world.send('POST', 'config/check?key=guess', '<x/>', bearer('guess-guess-guess'));
    await world.send('PUT', 'config', '<x/>', bearer(KEYS.operate));
    const audit = (await world.get('audit', ADMIN)).body.items.filter(
      ({ what }: { what: string }) => what === 'refusedCall',
    );
    expect(audit).toMatchObject([
      { who: 'op', target: 'PUT /api/v1/config', outcome: 'refused: 403' },
      { who: 'nobody', target: 'POST /api/v1/config/check', outcome: 'refused: 401' },
      { who: 'nobody', target: `GET /api/v1/crawlers/${'x'.repeat(283)}`, outcome: 'refused: 401' },
    ]);
    const metrics = (await world.get('/metrics', ADMIN)).text;
    expect(metrics).toMatch(/crawlway_api_refused_calls_total\{status="401"\} [1-9]/);
    expect(world.logged.filter((line) => line.startsWith('a call was refused'))).toHaveLength(3);
    expect(`${JSON.stringify(audit)}${world.logged.join()}`).not.toContain('guess');
  });

  it('wrong keys are limited before the body is read, and valid ones are not', async () => {
    const statuses = new Set<number>();
    let retryAfter: string | null = null;
    for (let i = 0; i < 310; i++) {
      const { status, headers } = await world.send('POST', 'config/check', '<x/>', bearer(`wrong-${i}`));
      statuses.add(status);
      retryAfter = headers.get('retry-after');
    }
    expect([...statuses]).toEqual([401, 429]);
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect((await world.get('session', ADMIN)).status).toBe(200);
    expect((await world.get('/health/live')).status).toBe(200);
    expect((await world.get('/metrics', ADMIN)).text).toMatch(/crawlway_api_refused_calls_total\{status="429"\} [1-9]/);
  }, 60_000);

  it('one key has at most fifty event streams, and may open another one when one is closed', async () => {
    const open = async () => {
      const gone = new AbortController();
      const response = await fetch(`${world.server.url}/api/v1/events`, { headers: ADMIN, signal: gone.signal });
      // Kept: a response that nobody holds is collected, and its connection closed.
      return { status: response.status, response, close: () => gone.abort() };
    };
    const streams = await Promise.all(Array.from({ length: 50 }, open));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await open()).status).toBe(429);
    streams.pop()!.close();
    await expect.poll(async () => (await open()).status).toBe(200);
    for (const { close } of streams) close();
  });

  it('a thousand idle connections keep neither keys nor probes out, and a refused caller has to connect anew', async () => {
    const { hostname, port } = new URL(world.server.url);
    const open = () => connect({ host: hostname, port: Number(port) });
    const idle: Socket[] = [];
    for (let count = 0; count < 1_100; count++) {
      const socket = open().on('error', () => undefined);
      idle.push(socket);
      socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
      await once(socket, 'data');
    }
    expect(idle.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(1_000);
    expect((await world.get('crawlers/test', ADMIN)).status).toBe(200);
    for (const socket of idle) socket.destroy();
    expect((await world.get('crawlers/test')).headers.get('connection')).toBe('close');
  }, 60_000);

  it('configuration checks are audited once a minute', async () => {
    const key = ADMIN;
    for (let i = 0; i < 3; i++) await world.sendXml('POST', 'config/check', '<x/>', key);
    const { body } = await world.get('audit', ADMIN);
    expect(body.items.filter(({ what }: { what: string }) => what === 'checkConfiguration')).toHaveLength(1);
  });

  it('a page is not fetched for a request from another site', async () => {
    const path = `crawlers/test/page?url=${encodeURIComponent(world.site.url('/b.html'))}`;
    for (const origin of ['cross-site', 'same-site'])
      expect((await world.get(path, { ...ADMIN, 'sec-fetch-site': origin })).status).toBe(403);
    for (const origin of ['same-origin', 'none'])
      expect((await world.get(path, { ...ADMIN, 'sec-fetch-site': origin })).status).toBe(200);
  });

  it('a configuration that cannot be stored is not applied', async () => {
    const db = new Database(join(world.folder, 'data', 'crawlway.sqlite'));
    db.exec(`CREATE TRIGGER full BEFORE INSERT ON configuration_version BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
    const before = (await world.get('config', ADMIN)).text;
    const changed = world.configuration({ crawler: '<Root url="SITE/c.html"/>' });
    expect((await world.sendXml('PUT', 'config?confirm=true', changed, { ...ADMIN, 'if-match': '*' })).status).toBe(
      500,
    );
    expect((await world.get('config', ADMIN)).text).toBe(before);
    expect(world.server.engine.definition.crawlers[0]!.roots[0]!.url).toBe(world.site.url('/'));
    db.exec('DROP TRIGGER full');
    db.close();
    expect((await world.sendXml('PUT', 'config?confirm=true', changed, { ...ADMIN, 'if-match': '*' })).status).toBe(
      200,
    );
  });
});
