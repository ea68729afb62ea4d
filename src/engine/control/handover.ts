/** Makes the URLs of a former crawler, with everything known about them, those of another crawler. */
import { createVerificationChanges } from '../../domain/crawl/commands.js';
import type { UrlState } from '../../domain/crawl/url-state.js';
import { REFRESH } from '../../domain/frontier/sources.js';
import { computeUrlKey } from '../../domain/url/url-key.js';
import type { Crawler } from '../crawl/crawler.js';
import type { InDoubtDeliveries } from '../crawl/outcome/in-doubt-deliveries.js';
import type { NewUrl, Settlement, UrlChanges } from '../ports/frontier-store.js';
import type { Ports } from '../ports/ports.js';
import type { PolicyChanges } from './policy-changes.js';
import { listStoredUrls } from './rejudging.js';
import { getRootSettingsPrefix } from './root-list.js';
import type { Roots } from './roots.js';

const MAX_VISITS = 20;

export interface HandoverServices extends Pick<Ports, 'store' | 'clock' | 'nodes'> {
  readonly inDoubt: Pick<InDoubtDeliveries, 'add'>;
  readonly roots: Pick<Roots, 'syncWithStore'>;
  readonly policyChanges: Pick<PolicyChanges, 'judgeAgain'>;
}

export class Handover {
  constructor(private readonly services: HandoverServices) {}

  /** Can be repeated: what has been handed over already is no longer among the URLs of the former crawler. */
  async run(from: Crawler, to: Crawler, signal: AbortSignal): Promise<void> {
    const { store, clock, nodes, policyChanges } = this.services;
    await this.handOverRoots(from.name, to);
    for await (const states of listStoredUrls(store, from.name)) {
      if (signal.aborted) return;
      await this.handOverUrls(states, to);
    }
    await to.sweep(clock.now());
    nodes.notifyAllDue();
    await policyChanges.judgeAgain(to);
  }

  /** Submitted roots, and where sites have moved. */
  private async handOverRoots(from: string, to: Crawler): Promise<void> {
    const { store, roots, nodes } = this.services;
    for (const [oldPrefix, newPrefix] of [
      [getRootSettingsPrefix(from), getRootSettingsPrefix(to.name)],
      [`moved-site/${from}/`, `moved-site/${to.name}/`],
    ] as const)
      for (const [setting, value] of await store.listSettings(oldPrefix)) {
        await store.putSetting(newPrefix + setting.slice(oldPrefix.length), value);
        await store.putSetting(setting, undefined);
      }
    await roots.syncWithStore(to);
    await nodes.notifyControlChanged();
  }

  private async handOverUrls(states: readonly UrlState[], to: Crawler): Promise<void> {
    const { store } = this.services;
    const added = await store.discover(states.map((state) => toNewUrl(state, to.name)));
    const theirs = new Map(added.map((state) => [state.url, state]));
    const settlements: Settlement[] = [];
    for (const state of states) {
      const own = theirs.get(state.url) ?? (await store.find(to.name, state.url));
      if (own && isUntouched(own)) settlements.push(...(await this.copyUrl(state, own.id)));
      else if (own) await this.merge(state, own, to);
      settlements.push({ id: state.id, remove: true });
    }
    await store.settle(settlements);
  }

  private async copyUrl(state: UrlState, id: number): Promise<Settlement[]> {
    const { store } = this.services;
    const visits = await store.listVisits(state.id, MAX_VISITS);
    return [
      ...visits.reverse().map((visit) => ({ id, visit })),
      { id, changes: toChanges(state), links: await store.getLinks(state.id) },
    ];
  }

  /** The other crawler knows the URL, too: what it does not know is that the sinks have a document. */
  private async merge(state: UrlState, own: UrlState, to: Crawler): Promise<void> {
    if (state.stamp === undefined || own.stamp !== undefined) return;
    const { clock, inDoubt } = this.services;
    const isUnvisited = own.status === 'waiting' && own.visits === 0;
    const { source = REFRESH, dueAt } = state;
    const changes = isUnvisited ? { ...toChanges(state), source, dueAt } : createVerificationChanges(clock.now());
    if (!(await to.applyCorrection(own, changes))) inDoubt.add(own.id);
  }
}

/** Not queued until everything known about it has been written. */
const toNewUrl = (state: UrlState, crawler: string): NewUrl => ({
  ...{ crawler, url: state.url, key: computeUrlKey(state.url), hostKey: state.hostKey, status: 'waiting' },
  ...{ reason: state.reason, hops: state.hops, redirects: state.redirects, discoveredVia: state.discoveredVia },
  ...{ foundOn: state.foundOn, root: state.root, inheritedMetas: state.inheritedMetas, dueAt: state.firstSeenAt },
});

/** Whether the URL has only been added by a handover, which may have been interrupted. */
const isUntouched = ({ status, source, visits }: UrlState): boolean =>
  status === 'waiting' && source === undefined && visits === 0;

/** Everything but what is set at discovery. */
function toChanges(state: UrlState): UrlChanges {
  const { id: _, crawler: _crawler, url: _url, hostKey: _host, hops: _hops, redirects: _redirects, ...rest } = state;
  const { foundOn: _foundOn, discoveredVia: _via, firstSeenAt: _seen, inheritedMetas: _metas, ...changes } = rest;
  return changes;
}
