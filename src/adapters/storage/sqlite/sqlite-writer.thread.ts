/** The only thread that writes to the SQLite store: takes batches of calls and returns a result for each call. */
import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../system/thread-priority.js';
import { type Call, performCall, type Reply, type StoreThreadData, serializeError } from '../shared/thread-protocol.js';
import { SqliteFrontier } from './sqlite-frontier.js';
import { isLocked, openHandle, toPortError } from './sqlite-handle.js';
import { bindWriterVerbs } from './sqlite-verbs.js';

// The writer runs at the priority of the page threads: only the crawl waits for it, and at a higher priority it would
// leave them too little processor time.
lowerPriority(10);

const { file } = workerData as StoreThreadData;
const db = openHandle(file, 'writer');
const frontier = new SqliteFrontier(db);
const verbs = bindWriterVerbs(frontier);

/**
 * Uses one transaction for the whole batch; if it fails, one for each call, so that a call is affected only by its own
 * errors.
 */
function runBatch(calls: readonly Call[]): Reply[] {
  try {
    return frontier.transaction(() => calls.map((call) => ({ value: performCall(verbs, call) })));
  } catch (error) {
    // A lock affects every call of the batch, and waiting for it in each of them would take minutes.
    if (calls.length > 1 && !isLocked(error)) return calls.flatMap((call) => runBatch([call]));
    return calls.map(() => ({ error: serializeError(toPortError(error, file)) }));
  }
}

parentPort!.on('message', (message: readonly Call[] | 'close') => {
  if (message !== 'close') {
    parentPort!.postMessage(runBatch(message));
    return;
  }
  db.close();
  parentPort!.close();
});
