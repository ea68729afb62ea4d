/** The only thread that writes to the SQLite store. */
import { workerData } from 'node:worker_threads';
import { lowerPriority } from '../../system/thread-settings.js';
import { type StoreThreadData, serveCalls } from '../shared/thread-protocol.js';
import { openHandle } from './sqlite-handle.js';
import { createWriter } from './sqlite-operations.js';

// The writer runs at the priority of the page threads: only the crawl waits for it, and at a higher priority it would
// leave them too little processor time.
lowerPriority(10);

const { file } = workerData as StoreThreadData;
const db = openHandle(file, 'writer');
serveCalls(createWriter(db, file), () => db.close());
