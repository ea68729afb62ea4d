import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../../test/support/store-in-this-thread.js';
import { until } from '../../../../test/support/until.js';
import { HubSubscriptions } from './hub-subscriptions.js';

it('servers that make the salt of their tokens at the same moment recognize the tokens of each other', async () => {
  const store = await openStoreInThisThread();
  onTestFinished(() => store.close());
  const clock = new ManualClock();
  const unknown: (() => void)[] = [];
  /** Both look for a salt, and find none, before the first one makes it. */
  const getSetting = async (name: string) => {
    const text = await store.getSetting(name);
    if (text === undefined && unknown.length < 2)
      await new Promise<void>((resolve) => {
        unknown.push(resolve);
      });
    return text;
  };
  const server = () => {
    const callbacks: URL[] = [];
    const services = {
      store: { ...store, getSetting },
      clock,
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      processor: {
        fetch: async ({ body }: { body: Uint8Array }) => {
          callbacks.push(new URL(new URLSearchParams(Buffer.from(body).toString()).get('hub.callback')!));
          return { kind: 'failure', code: 'connection-refused' };
        },
      },
      hosts: { recordRequestStartWithPermit: async () => {}, releaseAfterRequest: () => {}, sendBy: undefined },
      slots: { claimHost: async () => ({}) },
      crawlers: { find: () => ({ context: { definition: {} } }) },
    };
    const subscriptions = new HubSubscriptions(services as never);
    subscriptions.configure({ callback: 'https://crawlway.example/', hubs: [] });
    const subscribe = (path: string) => {
      const feed = `http://a.example${path}`;
      subscriptions.subscribeIfAllowed('docs', feed, { hub: 'http://a.example/hub', topic: feed });
    };
    return { subscriptions, subscribe, callbacks };
  };
  const servers = [server(), server()] as const;
  for (const { subscribe } of servers) subscribe('/one');
  await until(() => unknown.length === 2);
  for (const [i, go] of unknown.entries()) {
    go();
    await until(() => servers[i]!.callbacks.length === 1);
  }
  for (const { subscribe } of servers) subscribe('/two');
  await until(() => servers.every(({ callbacks }) => callbacks.length === 2));
  const tokens = servers.map(({ callbacks }) => callbacks[1]!.pathname.replace('/websub/', ''));
  const known = servers.map(({ subscriptions }) => tokens.map((token) => subscriptions.handleNotification(token)));
  expect(await Promise.all(known.flat())).toEqual([true, true, true, true]);
});
