/**
 * A thread for long reads, so that they hold up neither the crawl nor short reads; one such thread also runs the
 * checkpoints.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createCheckpointer } from '../shared/checkpoint.js';
import { type Call, performCall, type Reply, type StoreThreadData, serializeError } from '../shared/thread-protocol.js';
import { openHandle, toPortError } from './sqlite-handle.js';
import { SqliteOwed } from './sqlite-owed.js';
import { SqliteReads } from './sqlite-reads.js';
import { SqliteSearch } from './sqlite-search.js';
import { bindReaderVerbs } from './sqlite-verbs.js';

const CHECKPOINT_EVERY_MS = 500;

const { file, runsCheckpoints } = workerData as StoreThreadData;
const db = openHandle(file, 'reader');
const verbs = bindReaderVerbs(new SqliteReads(db), new SqliteSearch(db), new SqliteOwed(db));

function runCall(call: Call): Reply {
  try {
    return { value: performCall(verbs, call) };
  } catch (error) {
    return { error: serializeError(toPortError(error, file)) };
  }
}

const timer = runsCheckpoints ? setInterval(createCheckpointer(db), CHECKPOINT_EVERY_MS) : undefined;

parentPort!.on('message', (message: readonly Call[] | 'close') => {
  if (message !== 'close') {
    parentPort!.postMessage(message.map(runCall));
    return;
  }
  clearInterval(timer);
  db.close();
  parentPort!.close();
});
