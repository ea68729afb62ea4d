import { expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { SOLE_OWNER } from '../support/single-node.js';
import { HostViews } from './host-views.js';

const views = new HostViews({
  partitions: SOLE_OWNER,
  clock: new ManualClock(),
  hosts: { peek: () => undefined },
  crawlers: { list: () => [{ name: 'docs' }, { name: 'news' }] },
  store: { count: async () => 0, countIndexedOfHost: async () => 0, list: async () => [], loadHosts: async () => [] },
} as never);

it('a host of which no URL is known is not shown and not paused', async () => {
  await expect(views.get('a.example')).rejects.toThrow('no URL of the host a.example is known');
  await expect(views.setPaused('a.example', true)).rejects.toThrow('no URL of the host a.example is known');
});
