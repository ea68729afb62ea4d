import { dirname } from 'node:path';
import type { UrlId } from '../../../domain/crawl/url-state.js';
import type { FrontierStore, UrlFilter } from '../../../engine/ports/frontier-store.js';
import { BULK_STEP, changeInSteps } from '../shared/bulk.js';
import { lockDataDirectory } from '../shared/data-lock.js';
import { buildCounterQuery } from '../shared/filter-sql.js';
import { computeKeys } from '../shared/keys.js';
import { countInSteps, findMatchingInSteps, needsSteps } from '../shared/search.js';
import { type HandOut, StoreThread } from '../shared/store-thread.js';
import { createState } from '../shared/url-row.js';
import { openSqliteDataSource } from './sqlite-data-source.js';
import { openHandle, requireIntactPages, translateErrors } from './sqlite-handle.js';
import { SqliteOwed } from './sqlite-owed.js';
import { SqliteReads } from './sqlite-reads.js';
import type { ReaderVerbs, WriterVerbs } from './sqlite-verbs.js';

/** Maximum number of calls in a transaction of the writer: with more, each would wait longer than the sharing saves. */
const WRITER_BATCH = 32;

/**
 * Opens a server's store: one thread writes, one does long reads and checkpoints, and the calling thread does short
 * reads, which cost less than a message to another thread. Throws DataDirectoryInUse if another server is
 * using the file's directory, StoreDamaged if the file is not a valid database or is newer than this program,
 * StoreUnavailable if it cannot be opened at the moment. `handOut` delivers the replies of the writing thread.
 */
export async function openSqliteStore(file: string, handOut?: HandOut): Promise<FrontierStore> {
  const unlock = lockDataDirectory(dirname(file));
  try {
    await (await openSqliteDataSource(file)).destroy();
    requireIntactPages(file);
    return createStore(file, unlock, handOut);
  } catch (error) {
    unlock();
    throw error;
  }
}

function createStore(file: string, unlock: () => void, handOut?: HandOut): FrontierStore {
  const handle = openHandle(file, 'reader');
  const reads = new SqliteReads(handle);
  const owed = new SqliteOwed(handle);
  const writer = new StoreThread<WriterVerbs>(
    new URL('./sqlite-writer.thread.js', import.meta.url),
    { file },
    WRITER_BATCH,
    handOut,
  );
  const startReaderThread = (runsCheckpoints: boolean) =>
    new StoreThread<ReaderVerbs>(new URL('./sqlite-reader.thread.js', import.meta.url), { file, runsCheckpoints }, 1);
  const reader = startReaderThread(true);
  // To export a pending file, all of a crawler's URLs are sorted first, which takes seconds and would hold up lists.
  // Few servers ever do this, so the thread is started only when needed.
  let sorter: StoreThread<ReaderVerbs> | undefined;
  const read = async <T>(action: () => T): Promise<T> => translateErrors(file, action);
  const findMatching = (filter: UrlFilter, after: UrlId, limit: number): Promise<UrlId[]> =>
    needsSteps(filter)
      ? findMatchingInSteps((...args) => reader.call('findMatches', filter, ...args), after, limit)
      : reader.call('findMatching', filter, after, limit);
  const changeAll = (filter: UrlFilter, apply: (ids: readonly number[]) => Promise<number>) =>
    changeInSteps((after) => findMatching(filter, after, BULK_STEP), apply);
  return {
    discover: async (urls) => {
      // Nearly all links lead to known URLs, so only their keys are sent, followed by the new URLs in full.
      const positions = await writer.call('findUnknown', computeKeys(urls));
      if (positions.length === 0) return [];
      const unknownUrls = Array.from(positions, (position) => urls[position]!);
      const ids = await writer.call('insert', unknownUrls);
      return unknownUrls.flatMap((url, i) => (ids[i] === 0 ? [] : [createState(ids[i]!, url)]));
    },
    seed: (urls) => writer.call('seed', urls),
    settle: (settlements) => writer.call('settle', settlements),
    listDue: (...query) => writer.call('listDue', ...query),
    listBacklogs: (crawler, horizon, after, limit) => writer.call('listBacklogs', crawler, horizon, after, limit),
    makeDue: (filter, dueAt, source, note) =>
      changeAll(filter, (ids) => {
        note?.(ids);
        return writer.call('makeDueAmong', ids, filter, dueAt, source);
      }),
    forget: (filter) => changeAll(filter, (ids) => writer.call('forgetMatching', ids, filter)),
    loadHosts: (hostKeys) => writer.call('loadHosts', hostKeys),
    saveHosts: (hosts) => writer.call('saveHosts', hosts),
    saveOrders: (entries) => writer.call('saveOrders', entries),
    pruneOrders: (decidedBefore, keep) =>
      changeInSteps(
        () => reader.call('findPrunable', decidedBefore, keep, BULK_STEP),
        (ids) => writer.call('deleteOrders', ids),
      ),
    putSetting: (name, value) => writer.call('putSetting', name, value),
    find: (...query) => read(() => reads.find(...query)),
    get: (...query) => read(() => reads.get(...query)),
    countByStatus: (...query) => read(() => reads.countByStatus(...query)),
    findOldest: (crawler) => reader.call('findOldest', crawler),
    countIndexedOfHost: (...query) => read(() => reads.countIndexedOfHost(...query)),
    listHosts: (...query) => read(() => reads.listHosts(...query)),
    listVisits: (...query) => read(() => reads.listVisits(...query)),
    findByKeys: (...query) => read(() => reads.findByKeys(...query)),
    findRemoved: (...query) => read(() => reads.findRemoved(...query)),
    findPagesThatGaveWayTo: (...query) => read(() => reads.findPagesThatGaveWayTo(...query)),
    getLinks: (...query) => read(() => reads.getLinks(...query)),
    getLastOrderId: () => read(() => reads.getLastOrderId()),
    getOrder: (...query) => read(() => reads.getOrder(...query)),
    getSetting: (...query) => read(() => reads.getSetting(...query)),
    listSettings: (...query) => read(() => reads.listSettings(...query)),
    list: async (filter, after, limit) =>
      needsSteps(filter)
        ? reader.call('get', await findMatching(filter, after, limit))
        : reader.call('list', filter, after, limit),
    search: (...query) => reader.call('search', ...query),
    listFolders: (...query) => reader.call('listFolders', ...query),
    survey: (...query) => reader.call('survey', ...query),
    countFailing: (...query) => reader.call('countFailing', ...query),
    listFailingHosts: (...query) => reader.call('listFailingHosts', ...query),
    count: (filter, signal) => {
      if (buildCounterQuery(filter)) return read(() => reads.count(filter));
      if (needsSteps(filter)) return countInSteps((...args) => reader.call('findMatches', filter, ...args), signal);
      return reader.call('count', filter);
    },
    listByUrl: (...query) => {
      sorter ??= startReaderThread(false);
      return sorter.call('listByUrl', ...query);
    },
    listOrders: (filter, ...page) =>
      filter.uri === undefined
        ? reader.call('listOrders', filter, ...page)
        : read(() => reads.listOrders(filter, ...page)),
    countOrders: (...query) => reader.call('countOrders', ...query),
    listOwed: (crawler, sink, after, limit) => read(() => owed.listOwed(crawler, sink, after, limit)),
    findOwed: (...query) => read(() => owed.findOwed(...query)),
    countOwed: () => reader.call('countOwed'),
    dropOwed: (crawler, sink) => writer.call('drop', crawler, sink),
    close: async () => {
      await Promise.all([writer.close(), reader.close(), sorter?.close()]);
      handle.close();
      unlock();
    },
  };
}
