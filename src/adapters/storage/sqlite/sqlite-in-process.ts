import type { FrontierStore, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { BULK_STEP, changeInSteps } from '../shared/bulk.js';
import { createState } from '../shared/url-row.js';
import { openSqliteDataSource, rawHandle } from './sqlite-data-source.js';
import { SqliteFrontier } from './sqlite-frontier.js';
import { translateErrors } from './sqlite-handle.js';
import { SqliteReads } from './sqlite-reads.js';
import { SqliteSearch } from './sqlite-search.js';

/**
 * The store in the calling thread, for one-shot crawls, simulations and tests: every call does its work at once and resolves in a
 * microtask, so that runs are reproducible. `:memory:` keeps nothing.
 */
export async function openSqliteInProcess(file: string): Promise<FrontierStore> {
  const dataSource = await openSqliteDataSource(file);
  const db = rawHandle(dataSource);
  db.pragma('wal_autocheckpoint = 1000');
  const frontier = new SqliteFrontier(db);
  const { records } = frontier;
  const reads = new SqliteReads(db);
  const search = new SqliteSearch(db);
  const write = async <T>(action: () => T): Promise<T> => translateErrors(file, () => frontier.transaction(action));
  const read = async <T>(action: () => T): Promise<T> => translateErrors(file, action);
  const changeAll = (filter: UrlFilter, apply: (ids: readonly number[]) => number) =>
    changeInSteps(
      (after) => read(() => reads.matching(filter, after, BULK_STEP)),
      (ids) => write(() => apply(ids)),
    );
  return {
    discover: (urls) =>
      write(() => {
        const ids = frontier.insert(urls);
        return urls.flatMap((url, i) => (ids[i] === 0 ? [] : [createState(ids[i]!, url)]));
      }),
    seed: (urls) => write(() => frontier.seed(urls)),
    settle: (settlements) => write(() => frontier.settle(settlements)),
    listDue: (...query) => read(() => frontier.due(...query)),
    listBacklogs: (crawler, horizon, after, limit) => read(() => frontier.backlogs(crawler, horizon, after, limit)),
    makeDue: (filter, dueAt, source) => changeAll(filter, (ids) => frontier.makeDueAmong(ids, filter, dueAt, source)),
    forget: (filter) => changeAll(filter, (ids) => frontier.forgetMatching(ids, filter)),
    loadHosts: (hostKeys) => read(() => records.loadHosts(hostKeys)),
    saveHosts: (hosts) => write(() => records.saveHosts(hosts)),
    saveOrders: (entries) => write(() => records.saveOrders(entries)),
    pruneOrders: (decidedBefore, keep) =>
      changeInSteps(
        () => read(() => reads.prunable(decidedBefore, keep, BULK_STEP)),
        (ids) => write(() => records.deleteOrders(ids)),
      ),
    putSetting: (name, value) => write(() => records.putSetting(name, value)),
    find: (...query) => read(() => reads.find(...query)),
    get: (...query) => read(() => reads.get(...query)),
    list: (...query) => read(() => reads.list(...query)),
    search: (...query) => read(() => search.search(...query)),
    listFolders: (...query) => read(() => search.folders(...query)),
    survey: (...query) => read(() => search.survey(...query)),
    countFailing: (...query) => read(() => search.failing(...query)),
    listFailingHosts: (...query) => read(() => search.failingHosts(...query)),
    count: (filter) => read(() => reads.count(filter)),
    countByStatus: (...query) => read(() => reads.counts(...query)),
    findOldest: (crawler) => read(() => reads.oldest(crawler)),
    countIndexedOfHost: (...query) => read(() => reads.indexedOfHost(...query)),
    listHosts: (...query) => read(() => reads.hosts(...query)),
    listByUrl: (...query) => read(() => reads.listByUrl(...query)),
    listVisits: (...query) => read(() => reads.visits(...query)),
    findByKeys: (...query) => read(() => reads.byKeys(...query)),
    findRemoved: (...query) => read(() => reads.removed(...query)),
    findPagesThatGaveWayTo: (...query) => read(() => reads.gaveWayTo(...query)),
    getLinks: (...query) => read(() => reads.linksOf(...query)),
    getLastOrderId: () => read(() => reads.lastOrderId()),
    listOrders: (...query) => read(() => reads.orders(...query)),
    getOrder: (...query) => read(() => reads.order(...query)),
    countOrders: (...query) => read(() => reads.countOrders(...query)),
    listOwed: (crawler, sink, after, limit) => read(() => frontier.owed.owed(crawler, sink, after, limit)),
    findOwed: (...query) => read(() => frontier.owed.owedOf(...query)),
    countOwed: () => read(() => frontier.owed.owedCounts()),
    dropOwed: (...query) => write(() => frontier.owed.drop(...query)),
    getSetting: (...query) => read(() => reads.getSetting(...query)),
    listSettings: (...query) => read(() => reads.settings(...query)),
    close: () => dataSource.destroy(),
  };
}
