import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

/** As the API description has it. */
const MAX_URL = 65_536;
const MAX_PATTERN = 12_288;

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

/** Of this length, and three times as long in an address. */
function longUrl(length: number): string {
  const start = `${world.site.origin}/?q=`;
  return start + '='.repeat(length - start.length);
}

/** Sends bytes as they are, and gives back all that is answered. */
async function raw(text: string): Promise<{ head: string; body: string }> {
  const socket = connect(Number(new URL(world.server.url).port), '127.0.0.1');
  socket.on('error', () => undefined); // closed while a part is still on its way
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(text);
  await once(socket, 'close');
  const [head, body] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  return { head: head!, body: body! };
}

describe('the URL of a call', () => {
  it('may contain URLs of the maximum length', async () => {
    const url = longUrl(MAX_URL);
    const inAddress = encodeURIComponent(url);
    expect((await world.send('POST', 'crawlers/test/roots', { url })).status).toBe(201);
    expect((await world.get(`crawlers/test/url?url=${inAddress}`)).body).toMatchObject({ state: { url } });
    expect((await world.get(`crawlers/test/explain?url=${inAddress}&from=${inAddress}`)).body).toMatchObject({ url });
    expect((await world.get(`crawlers/test/urls?prefix=${inAddress}`)).body.items).toMatchObject([{ url }]);
    expect((await world.send('DELETE', `crawlers/test/roots?url=${inAddress}`)).status).toBe(204);
  });

  it('may contain a pattern of the maximum length, and no longer one', async () => {
    const found = (like: string) => world.get(`crawlers/test/urls?like=${encodeURIComponent(like)}`);
    for (const character of ['?', '_', '\u{1f600}']) {
      expect((await found(`%${character.repeat(MAX_PATTERN - 1)}`)).status, character).toBe(200);
      expect((await found(`%${character.repeat(MAX_PATTERN)}`)).status, character).toBe(400);
    }
  });

  it('that is longer still is refused with a problem document', async () => {
    expect((await world.get(`crawlers/test/url?url=${longUrl(MAX_URL + 1)}`)).status).toBe(400);
    const { head, body } = await raw(`GET /${'x'.repeat(500_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 431 /);
    expect(head).toContain('Content-Type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status: 431, detail: expect.stringContaining('bytes'), instance: '' });
  });
});

it('a request that is not HTTP is refused with a problem document', async () => {
  for (const text of ['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n']) {
    const { head, body } = await raw(text);
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(head).toContain('Content-Type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status: 400, type: 'about:blank', instance: '' });
  }
});
