/**
 * A thread for long reads, so that they hold up neither the crawl nor short reads; one such thread also runs the
 * checkpoints.
 */
import { workerData } from 'node:worker_threads';
import { type StoreThreadData, serveCalls } from '../shared/thread-protocol.js';
import { createCheckpointer, openHandle } from './sqlite-handle.js';
import { createReader } from './sqlite-operations.js';

const CHECKPOINT_EVERY_MS = 500;

const { file, runsCheckpoints } = workerData as StoreThreadData;
const db = openHandle(file, 'reader');
const timer = runsCheckpoints ? setInterval(createCheckpointer(db), CHECKPOINT_EVERY_MS) : undefined;
serveCalls(createReader(db, file), () => {
  clearInterval(timer);
  db.close();
});
