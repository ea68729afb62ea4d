import type { FrontierStore, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { BULK_STEP, changeInSteps } from '../shared/bulk.js';
import { createState } from '../shared/url-row.js';
import { getRawHandle, openSqliteDataSource } from './sqlite-data-source.js';
import { SqliteFrontier } from './sqlite-frontier.js';
import { translateErrors } from './sqlite-handle.js';
import { SqliteReads } from './sqlite-reads.js';
import { SqliteSearch } from './sqlite-search.js';

/**
 * Opens a store in the calling thread, for one-shot crawls, simulations and tests: every call does its work immediately
 * and resolves in a microtask, so that runs are reproducible. With `:memory:`, nothing is written to disk.
 */
export async function openSqliteInProcess(file: string): Promise<FrontierStore> {
  const dataSource = await openSqliteDataSource(file);
  const db = getRawHandle(dataSource);
  db.pragma('wal_autocheckpoint = 1000');
  const frontier = new SqliteFrontier(db);
  const { records } = frontier;
  const reads = new SqliteReads(db);
  const search = new SqliteSearch(db);
  const write = async <T>(action: () => T): Promise<T> => translateErrors(file, () => frontier.transaction(action));
  const read = async <T>(action: () => T): Promise<T> => translateErrors(file, action);
  const changeAll = (filter: UrlFilter, apply: (ids: readonly number[]) => number) =>
    changeInSteps(
      (after) => read(() => reads.findMatching(filter, after, BULK_STEP)),
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
    listDue: (...query) => read(() => frontier.listDue(...query)),
    listBacklogs: (crawler, horizon, after, limit) => read(() => frontier.listBacklogs(crawler, horizon, after, limit)),
    makeDue: (filter, dueAt, source, note) =>
      changeAll(filter, (ids) => {
        note?.(ids);
        return frontier.makeDueAmong(ids, filter, dueAt, source);
      }),
    forget: (filter) => changeAll(filter, (ids) => frontier.forgetMatching(ids, filter)),
    loadHosts: (hostKeys) => read(() => records.loadHosts(hostKeys)),
    saveHosts: (hosts) => write(() => records.saveHosts(hosts)),
    saveOrders: (entries) => write(() => records.saveOrders(entries)),
    pruneOrders: (decidedBefore, keep) =>
      changeInSteps(
        () => read(() => reads.findPrunable(decidedBefore, keep, BULK_STEP)),
        (ids) => write(() => records.deleteOrders(ids)),
      ),
    putSetting: (name, value) => write(() => records.putSetting(name, value)),
    find: (...query) => read(() => reads.find(...query)),
    get: (...query) => read(() => reads.get(...query)),
    list: (...query) => read(() => reads.list(...query)),
    search: (...query) => read(() => search.search(...query)),
    listFolders: (...query) => read(() => search.listFolders(...query)),
    survey: (...query) => read(() => search.survey(...query)),
    countFailing: (...query) => read(() => search.countFailing(...query)),
    listFailingHosts: (...query) => read(() => search.listFailingHosts(...query)),
    count: (filter) => read(() => reads.count(filter)),
    countByStatus: (...query) => read(() => reads.countByStatus(...query)),
    findOldest: (crawler) => read(() => reads.findOldest(crawler)),
    countIndexedOfHost: (...query) => read(() => reads.countIndexedOfHost(...query)),
    listHosts: (...query) => read(() => reads.listHosts(...query)),
    listByUrl: (...query) => read(() => reads.listByUrl(...query)),
    listVisits: (...query) => read(() => reads.listVisits(...query)),
    findByKeys: (...query) => read(() => reads.findByKeys(...query)),
    findRemoved: (...query) => read(() => reads.findRemoved(...query)),
    findPagesThatGaveWayTo: (...query) => read(() => reads.findPagesThatGaveWayTo(...query)),
    getLinks: (...query) => read(() => reads.getLinks(...query)),
    getLastOrderId: () => read(() => reads.getLastOrderId()),
    listOrders: (...query) => read(() => reads.listOrders(...query)),
    getOrder: (...query) => read(() => reads.getOrder(...query)),
    countOrders: (...query) => read(() => reads.countOrders(...query)),
    listOwed: (crawler, sink, after, limit) => read(() => frontier.owed.listOwed(crawler, sink, after, limit)),
    findOwed: (...query) => read(() => frontier.owed.findOwed(...query)),
    countOwed: () => read(() => frontier.owed.countOwed()),
    dropOwed: (...query) => write(() => frontier.owed.drop(...query)),
    getSetting: (...query) => read(() => reads.getSetting(...query)),
    listSettings: (...query) => read(() => reads.listSettings(...query)),
    close: () => dataSource.destroy(),
  };
}
