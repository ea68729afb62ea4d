import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { ServerDefinition } from '../../domain/crawl/definition.js';
import type { WebhookDefinition } from '../../domain/crawl/sink-definition.js';
import { hours } from '../../domain/time/units.js';
import type { CrawlEvent } from '../../engine/events.js';
import { WebhookQueue } from './webhook-queue.js';
import { Webhooks } from './webhooks.js';

type Report = { readonly type: string; readonly data: Record<string, unknown> };

/** Webhooks whose messages are received at once. */
function webhooks(...events: readonly string[]) {
  const clock = new ManualClock();
  const reports: Report[] = [];
  const webhook = { name: 'alerts', url: 'http://a.example/', events, place: { file: '', line: 1, column: 1 } };
  const definition = { webhooks: [webhook as unknown as WebhookDefinition] } as unknown as ServerDefinition;
  const hooks = new Webhooks({
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    getDefinition: () => definition,
    openChannel: () => ({
      send: async ({ body }) => void reports.push(JSON.parse(body)),
      close: async () => {},
    }),
  });
  /** Handles events, and returns what is reported for each of them. */
  const report = async (...happened: readonly Record<string, unknown>[]): Promise<string[]> => {
    const lines: string[] = [];
    for (const event of happened) {
      hooks.handleEvent({ at: clock.now(), ...event } as unknown as CrawlEvent);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      lines.push(
        reports
          .splice(0)
          .map(({ type, data }) => [type, data['count']].join(' ').trim())
          .join(', '),
      );
    }
    return lines;
  };
  return { report, reports, hooks };
}

const sink = (state: string, name = 'main') => ({ type: 'sink', sink: name, state });
const host = (state: string, hostKey = 'a.example') => ({ type: 'host', hostKey, state });
const login = (state: string, name = 'm') => ({ type: 'login', login: name, state });

describe('a webhook', () => {
  it.each([
    ['a sink that stays down', [sink('unavailable'), sink('unavailable')], ['sink.down', '']],
    ['a sink that comes back', [sink('unavailable'), sink('ok'), sink('ok')], ['sink.down', 'sink.up', '']],
    ['a sink that never was down', [sink('ok')], ['']],
    [
      'a sink that goes down again',
      [sink('unavailable'), sink('ok'), sink('unavailable')],
      ['sink.down', 'sink.up', 'sink.down'],
    ],
    [
      'two sinks',
      [sink('unavailable'), sink('unavailable', 'other'), sink('ok', 'other')],
      ['sink.down', 'sink.down', 'sink.up'],
    ],
    ['a host that keeps backing off', [host('backing off'), host('backing off')], ['host.ill', '']],
    ['a host that recovers', [host('backing off'), host('ok'), host('ok')], ['host.ill', 'host.recovered', '']],
    [
      'a host that backs off again',
      [host('backing off'), host('ok'), host('backing off')],
      ['host.ill', 'host.recovered', 'host.ill'],
    ],
    ['two hosts', [host('backing off'), host('backing off', 'b.example')], ['host.ill', 'host.ill']],
    ['a login that keeps failing', [login('failing'), login('stopped'), login('failing')], ['login.failed', '', '']],
    [
      'a login that is tried again',
      [login('failing'), login('logging-in'), login('failing')],
      ['login.failed', '', ''],
    ],
    [
      'a login that works again',
      [login('failing'), login('logged-in'), login('stopped')],
      ['login.failed', '', 'login.failed'],
    ],
    ['two logins', [login('failing'), login('failing', 'n')], ['login.failed', 'login.failed']],
    ['a site that moves', [{ type: 'move', root: 'http://a.example/', target: 'http://b.example/' }], ['site.move']],
    ['a visit', [{ type: 'visit' }], ['']],
  ])('is sent once for each change of %s', async (_, events, reports) => {
    expect(await webhooks().report(...events)).toEqual(reports);
  });

  it.each([
    ['refused', 'orders.refused'],
    ['held', 'deletions.held'],
  ])('counts orders that are %s, and is sent for the 1st, 10th and 100th', async (state, type) => {
    const order = { type: 'order', crawler: 'docs', uri: 'http://a.example/x', state };
    const lines = await webhooks().report(...Array(101).fill(order));
    expect(lines.flatMap((line, i) => (line === '' ? [] : [`${i + 1}: ${line}`]))).toEqual([
      `1: ${type} 1`,
      `10: ${type} 10`,
      `100: ${type} 100`,
    ]);
  });

  it('reports changes that the change guard holds, but no deletion that waits for a sign of life', async () => {
    const order = { type: 'order', crawler: 'docs', uri: 'http://a.example/x', state: 'awaiting' };
    expect(await webhooks().report({ ...order, reason: 'http-500' }, { ...order, reason: 'directive-wave' })).toEqual([
      '',
      'changes.held 1',
    ]);
  });

  it('counts refused orders by crawler, and held deletions by crawler and host', async () => {
    const order = (state: string, crawler: string, h: string) => ({
      type: 'order',
      crawler,
      uri: `http://${h}/x`,
      state,
    });
    const { report } = webhooks();
    expect(
      await report(
        order('refused', 'docs', 'a'),
        order('refused', 'docs', 'b'),
        order('refused', 'news', 'a'),
        order('held', 'docs', 'a'),
        order('held', 'docs', 'b'),
        order('held', 'news', 'a'),
        order('held', 'docs', 'a'),
        order('acknowledged', 'docs', 'a'),
      ),
    ).toEqual(['orders.refused 1', '', 'orders.refused 1', ...Array(3).fill('deletions.held 1'), '', '']);
  });

  it('is sent only for the events that it lists', async () => {
    const { report } = webhooks('sink.up', 'host.ill');
    expect(await report(sink('unavailable'), sink('ok'), host('backing off'))).toEqual(['', 'sink.up', 'host.ill']);
  });

  it('says until when a host rests', async () => {
    const { hooks, reports } = webhooks();
    const until = new ManualClock().now() + hours(1);
    hooks.handleEvent({ ...host('backing off'), until } as unknown as CrawlEvent);
    await expect.poll(() => reports).toHaveLength(1);
    expect(reports[0]!.data).toEqual({ host: 'a.example', until: new Date(until).toISOString() });
  });
});

it('of the messages that wait for a receiver, the latest thousand are kept', async () => {
  const sent: string[] = [];
  let respond = (): void => undefined;
  const send = async ({ id }: { id: string }) => {
    sent.push(id);
    if (sent.length === 1) await new Promise<void>((resolve) => (respond = resolve));
  };
  const definition = { name: 'alerts' } as WebhookDefinition;
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const queue = new WebhookQueue(definition, { send, close: async () => {} }, new ManualClock(), log);
  for (let i = 0; i < 1_010; i++) queue.add({ id: String(i), body: '{}' });
  respond();
  await expect.poll(() => sent.at(-1)).toBe('1009');
  expect(sent.slice(0, 2)).toEqual(['0', '10']);
  expect(sent).toHaveLength(1_001);
});
