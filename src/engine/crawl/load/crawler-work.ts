/** What one node is currently doing for a crawler, and how the views of several nodes are merged. */
import { type Instant, instant } from '../../../domain/time/units.js';
import type { Load } from './limited-by.js';

export interface CrawlerWork {
  readonly name: string;
  /** True if the node has hosts, so that what limits it limits the crawl. */
  readonly hasHosts: boolean;
  /** Number of picks by source number since the start of the process. */
  readonly picks: readonly number[];
  readonly pagesPerSecond: number;
  readonly errorsPerSecond: number;
  readonly ordersPerSecond: number;
  readonly active: number;
  readonly pendingOrders: number;
  readonly idle: boolean;
  readonly load: Load;
}

export function mergeWork(ownWork: CrawlerWork, others: readonly CrawlerWork[]): CrawlerWork {
  const all = [ownWork, ...others];
  const sum = (getValue: (work: CrawlerWork) => number): number =>
    all.reduce((total, work) => total + getValue(work), 0);
  const withHosts = all.filter((work) => work.hasHosts);
  return {
    name: ownWork.name,
    hasHosts: withHosts.length > 0,
    picks: ownWork.picks.map((_, source) => sum(({ picks }) => picks[source]!)),
    pagesPerSecond: sum((work) => work.pagesPerSecond),
    errorsPerSecond: sum((work) => work.errorsPerSecond),
    ordersPerSecond: sum((work) => work.ordersPerSecond),
    active: sum((work) => work.active),
    pendingOrders: sum((work) => work.pendingOrders),
    idle: all.every((work) => work.idle),
    load:
      withHosts.length === 0
        ? ownWork.load
        : mergeLoads(
            ownWork.load,
            withHosts.map(({ load }) => load),
          ),
  };
}

/** Schedules are the limit only if they are the limit on every node. */
function mergeClosedUntil(summaries: readonly Load['waiting'][]): { readonly closedUntil?: Instant } {
  const times = summaries.flatMap(({ closedUntil }) => closedUntil ?? []);
  return times.length === 0 || times.length < summaries.length ? {} : { closedUntil: instant(Math.min(...times)) };
}

/** The crawler's state is taken from this node: it is the same on all. */
function mergeLoads(ownLoad: Load, loads: readonly Load[]): Load {
  const sum = (getValue: (load: Load) => number): number => loads.reduce((total, load) => total + getValue(load), 0);
  const summaries = loads.map((load) => load.waiting);
  const busySummaries = summaries.filter(({ urls }) => urls > 0);
  const next = summaries.flatMap(({ nextRequestAt }) => nextRequestAt ?? []).sort((a, b) => a - b)[0];
  return {
    ...ownLoad,
    waiting: {
      hosts: sum((load) => load.waiting.hosts),
      urls: sum((load) => load.waiting.urls),
      largest: summaries
        .flatMap(({ largest }) => largest)
        .sort((a, b) => b.urls - a.urls)
        .slice(0, 2),
      nextRequestAt: next,
      ...mergeClosedUntil(busySummaries),
      limitedByHost: busySummaries.length > 0 && busySummaries.every(({ limitedByHost }) => limitedByHost),
    },
    fetching: sum((load) => load.fetching),
    concurrency: sum((load) => load.concurrency),
    sinks: loads.flatMap(({ sinks }) => sinks),
    hasRoom: loads.every(({ hasRoom }) => hasRoom),
    storeFollows: loads.every(({ storeFollows }) => storeFollows),
    storeFault: loads.find(({ storeFault }) => storeFault !== undefined)?.storeFault,
  };
}
