import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpReceiver, startReceiver } from '../support/receivers/http-receiver.js';
import { ApiWorld } from './api-world.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

let world: ApiWorld;
let hook: HttpReceiver;
/** Messages that the library of the specification has verified, by the id of each. */
const verified = new Map<string, Message>();
let refuseNext = false;

beforeAll(async () => {
  world = await ApiWorld.start();
  await world.caughtUp();
});
afterAll(() => world.stop());

async function told(type: string): Promise<Message> {
  for (;;) {
    const found = [...verified.values()].find((message) => message.type === type);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('webhooks', () => {
  it('report events, signed so that the library of the specification verifies them, and never contain a secret', async () => {
    hook = await startReceiver(({ body, headers }) => {
      if (refuseNext) {
        refuseNext = false;
        return { status: 503 };
      }
      const message = new Webhook(SECRET).verify(body.toString(), headers as Record<string, string>) as Message;
      verified.set(String(headers['webhook-id']), message);
      return { status: 204 };
    });
    const receiver = await startReceiver(({ method, body }) => ({
      status: method === 'POST' && /"uri":"[^"]*\/c\.html"/.test(body.toString()) ? 422 : 204,
      body: 'not this one',
    }));
    const webhook = `<cw:Webhook name="alerts" url="${hook.url}/" secret="\${secret:signature}"/>`;
    const refusing = `<cw:Sink name="refusing" type="json" url="${receiver.url}/"/>`;
    const xml = world
      .configuration()
      .replace('<cw:PushTo sink="main"/>', '$&<cw:PushTo sink="refusing"/>')
      .replace('</CrawlConfig>', `${refusing}${webhook}</CrawlConfig>`);
    await world.send('PUT', 'secrets/signature', { value: SECRET });
    expect((await world.sendXml('PUT', 'config', xml)).status).toBe(200);
    expect((await told('configuration.applied')).timestamp).toMatch(/^\d{4}-.*Z$/);
    const { data } = await told('orders.refused');
    expect(data).toMatchObject({ crawler: 'test', count: 1, message: expect.stringContaining('not this one') });
    expect(JSON.stringify([...verified.values()])).not.toContain(SECRET.slice(6));
    expect((await world.get('config')).text).not.toContain(SECRET);
  });

  it('are refused by the library when any part was changed', () => {
    const [id, message] = [...verified][0]!;
    const headers = { 'webhook-id': id, 'webhook-timestamp': '0', 'webhook-signature': 'v1,AAAA' };
    expect(() => new Webhook(SECRET).verify(JSON.stringify(message), headers)).toThrow();
  });
});
