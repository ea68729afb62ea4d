import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './api-world.js';

/** RFC 9421, B.1.4 */
const KEY =
  '-----BEGIN PRIVATE KEY----- MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF -----END PRIVATE KEY-----';
const DIRECTORY = '/.well-known/http-message-signatures-directory';

describe('requests from sites and hubs without a key', () => {
  let world: ApiWorld;
  beforeAll(async () => {
    const fetcher = `<cw:BotAuth key="${KEY}" agent="https://crawlway.example/"/>`;
    world = await ApiWorld.start({ keys: 'ops:admin:0123456789abcdef0123456789abcdef', fetcher });
  });
  afterAll(() => world.stop());

  it('get the key directory, signed for its own host name', async () => {
    const { status, headers, body } = await world.get(DIRECTORY);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/http-message-signatures-directory\+json/);
    const [key] = body.keys;
    expect(key).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
      kid: 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
      use: 'sig',
    });
    const input = headers.get('signature-input')!.replace('sig1=', '');
    const base = `"@authority";req: crawlway.example\n"@signature-params": ${input}`;
    const signature = Buffer.from(/^sig1=:(.+):$/.exec(headers.get('signature')!)![1]!, 'base64');
    expect(verify(null, Buffer.from(base), createPublicKey({ key, format: 'jwk' }), signature)).toBe(true);
  });

  it("can verify the signatures of the crawler's requests", async () => {
    while (world.site.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(world.site.requests[0]!.headers['signature-input']).toContain('tag="web-bot-auth"');
  });

  it('cannot confirm a subscription that was not requested', async () => {
    const query = 'hub.mode=subscribe&hub.topic=http%3A%2F%2Fa.example%2F&hub.challenge=x';
    expect((await world.get(`/websub/WyJhIl0.AAAA?${query}`)).status).toBe(404);
    const tell = (type: string) => world.send('POST', '/websub/WyJhIl0.AAAA', '<feed/>', { 'content-type': type });
    for (const type of ['application/atom+xml', 'text/xml', 'text/html']) expect((await tell(type)).status).toBe(404);
    expect((await tell('image/png')).status).toBe(415);
    expect((await world.get(`/websub/${'a'.repeat(1_800)}.AAAA`)).status).toBe(404);
  });
});
