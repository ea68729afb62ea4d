/** What one node is currently doing for a crawler, and how the views of several nodes are merged. */
import { type Instant, instant } from '../../domain/time/units.js';
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

export function mergeWork(own: CrawlerWork, others: readonly CrawlerWork[]): CrawlerWork {
  const all = [own, ...others];
  const sum = (of: (work: CrawlerWork) => number): number => all.reduce((total, work) => total + of(work), 0);
  const withHosts = all.filter((work) => work.hasHosts);
  return {
    name: own.name,
    hasHosts: withHosts.length > 0,
    picks: own.picks.map((_, source) => sum(({ picks }) => picks[source]!)),
    pagesPerSecond: sum((work) => work.pagesPerSecond),
    errorsPerSecond: sum((work) => work.errorsPerSecond),
    ordersPerSecond: sum((work) => work.ordersPerSecond),
    active: sum((work) => work.active),
    pendingOrders: sum((work) => work.pendingOrders),
    idle: all.every((work) => work.idle),
    load:
      withHosts.length === 0
        ? own.load
        : mergeLoads(
            own.load,
            withHosts.map(({ load }) => load),
          ),
  };
}

/** Schedules count as the limit only if they are the limit on every node. */
function mergeClosedUntil(busy: readonly Load['waiting'][]): { readonly closedUntil?: Instant } {
  const times = busy.flatMap(({ closedUntil }) => closedUntil ?? []);
  return times.length === 0 || times.length < busy.length ? {} : { closedUntil: instant(Math.min(...times)) };
}

/** The crawler's state is taken from this node: it is the same on all. */
function mergeLoads(own: Load, loads: readonly Load[]): Load {
  const sum = (of: (load: Load) => number): number => loads.reduce((total, load) => total + of(load), 0);
  const waiting = loads.map((load) => load.waiting);
  const busy = waiting.filter(({ urls }) => urls > 0);
  const next = waiting.flatMap(({ nextRequestAt }) => nextRequestAt ?? []).sort((a, b) => a - b)[0];
  return {
    ...own,
    waiting: {
      hosts: sum((load) => load.waiting.hosts),
      urls: sum((load) => load.waiting.urls),
      largest: waiting
        .flatMap(({ largest }) => largest)
        .sort((a, b) => b.urls - a.urls)
        .slice(0, 2),
      nextRequestAt: next,
      ...mergeClosedUntil(busy),
      limitedByHost: busy.length > 0 && busy.every(({ limitedByHost }) => limitedByHost),
    },
    fetching: sum((load) => load.fetching),
    concurrency: sum((load) => load.concurrency),
    sinks: loads.flatMap(({ sinks }) => sinks),
    hasRoom: loads.every(({ hasRoom }) => hasRoom),
    storeFollows: loads.every(({ storeFollows }) => storeFollows),
  };
}
