import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openStoreInThisThread } from '../../../test/support/store-in-this-thread.js';
import { until } from '../../../test/support/until.js';
import { seconds } from '../../domain/time/units.js';
import { Hosts } from '../crawl/hosts/hosts.js';
import { Rebalance, type RebalanceServices } from './rebalance.js';

it.each([true, false])(
  'a host that comes back while a visit still waits for its sink stays in use (lease lapsed: %s)',
  async (lapsed) => {
    const store = await openStoreInThisThread();
    const clock = new ManualClock();
    const hosts = new Hosts(store, clock);
    onTestFinished(async () => {
      hosts.close();
      await store.close();
    });
    const host = hosts.get('http://a.example');
    await until(() => host.loaded);
    let isVisiting = true;
    const done = async (): Promise<void> => {};
    const services = {
      clock,
      hosts,
      // The node owns a partition only when it has accepted it; the old revocation may end before.
      partitions: { owned: [0], getPartition: () => 0, owns: () => false },
      nodes: { notifyAllDue: () => {} },
      inDoubt: { open: done, save: done, markAllInFlightInDoubt: done },
      ledger: { skipForeignIds: done },
      owing: { open: done },
      logins: { takeOver: done, forget: () => [], whenSaved: done },
      delivery: { expedite: () => {} },
    };
    const crawler = {
      context: { definition: { aggressive: false, throttle: seconds(1) } },
      revoke: () => {},
      forgetHosts: () => {},
      sweepPartitions: done,
      isVisiting: (isLost: (hostKey: string) => boolean) => isVisiting && isLost(host.key),
    };
    const rebalance = new Rebalance(
      services as unknown as RebalanceServices,
      { list: () => [crawler] } as never,
      () => {},
    );

    const revoked = rebalance.onRevoking([0], lapsed);
    await rebalance.onAssigning([0], [0]);
    rebalance.onAssigned([0]);
    isVisiting = false;
    clock.advance(seconds(1));
    await revoked;
    expect(hosts.peek(host.key)).toBe(host);
    await until(() => host.loaded);
  },
);
